import { html, raw } from 'hono/html'
import { answersJson, type Endpoint } from '../../shared/contract/endpoint.ts'
import { errorTable } from '../../shared/contract/errors.ts'
import { type EndpointName, endpoints } from '../../shared/contract/index.ts'
import type { Limits } from '../../shared/rules/tier-limits.ts'
import { errorText } from './openapi.ts'

const style = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  :root { color-scheme: light dark }
  h2 { font-size: 1rem; margin: 2.5rem 0 .25rem; font-family: ui-monospace, monospace }
  p { margin: .25rem 0 }
  ul { margin: .5rem 0 0; padding-left: 1.25rem }
  code { font-size: .9em }`

/**
 * Renders the contract of the API as an HTML page for people, with one section for each endpoint.
 * The page has no scripts. The texts of errors name the limits in force.
 */
export function apiDocsPage(limits: Limits) {
  const sections = (Object.keys(endpoints) as EndpointName[]).map((name) =>
    section(endpoints[name], limits),
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Mayfly API</title><style>${raw(style)}</style>
</head>
<body>
<h1>Mayfly API</h1>
<p>Errors are <code>{ "message": …, "code": … }</code>. Dates are ISO 8601 in UTC, sizes are bytes.
The schemas are in <a href="/api/openapi.json">the OpenAPI document</a>.</p>
${sections}
</body>
</html>`
}

function section(row: Endpoint, limits: Limits) {
  return html`
<section>
<h2>${row.method} ${row.path}</h2>
<p>${row.summary}</p>
<p>For: ${row.access}. Answers: ${answersJson(row.response) ? 'JSON' : row.response.raw}.</p>
${
  row.errors.length > 0
    ? html`<ul>${row.errors.map((code) => html`<li><code>${errorTable[code].status} ${code}</code> ${errorText(code, limits)}</li>`)}</ul>`
    : ''
}
</section>`
}
