// The addresses of the service, from its own OpenAPI description.
"use strict";

(async () => {
  const made = (name, text = "", kind = "") => {
    const one = document.createElement(name);
    one.textContent = text;
    if (kind) one.className = kind;
    return one;
  };
  const place = document.getElementById("endpoints");
  let api;
  try {
    api = await (await fetch("/openapi.json")).json();
  } catch (error) {
    document.getElementById("status").textContent = `The description cannot be read: ${error.message}`;
    return;
  }
  const named = (schema) => schema && schema.$ref ? api.components.schemas[schema.$ref.split("/").pop()] : schema || {};
  const type = (schema) => {
    if (schema.enum) return schema.enum.join(", ");
    if (schema.anyOf) return schema.anyOf.map(type).join(" or ");
    return schema.type || "";
  };
  const table = (fields) => {
    const body = made("tbody");
    for (const [name, about, schema, required] of fields) {
      const row = made("tr");
      const usual = schema.default === undefined || schema.default === null ? "" : JSON.stringify(schema.default);
      row.append(made("th", name), made("td", type(schema)), made("td", required ? "required" : usual), made("td", about || schema.description || ""));
      body.append(row);
    }
    const head = made("tr");
    head.append(...["field", "type", "default", "meaning"].map((one) => made("th", one)));
    const top = made("thead");
    top.append(head);
    const whole = made("table");
    whole.append(top, body);
    const frame = made("div", "", "scrolled");
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "fields");
    frame.append(whole);
    return frame;
  };
  const parts = [made("p", api.info.description)];
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, one] of Object.entries(methods)) {
      const heading = made("h2", `${method.toUpperCase()} ${path}`);
      heading.id = `${method}${path.replaceAll("/", "-")}`;
      parts.push(heading, made("p", one.description || one.summary));
      if (one.parameters) parts.push(table(one.parameters.map((field) => [field.name, field.description, field.schema, field.required])));
      const content = one.requestBody && one.requestBody.content;
      if (content) {
        const schema = named(Object.values(content)[0].schema);
        parts.push(made("p", `Body: ${Object.keys(content).join(" or ")}. ${schema.description || ""}`, "note"));
        parts.push(table(Object.entries(schema.properties || {}).map(([name, field]) => [name, field.description, field, (schema.required || []).includes(name)])));
      }
    }
  }
  parts.push(made("p", "Errors are JSON, too: error says what is wrong, status is that of the answer.", "note"));
  place.replaceChildren(...parts);
})();
