import { type ZodType, z } from 'zod'
import { callGroups, groupOf } from '../../shared/contract/call-groups.ts'
import { answersJson, commonErrors, type Endpoint } from '../../shared/contract/endpoint.ts'
import { type ErrorCode, errorTable } from '../../shared/contract/errors.ts'
import { fieldNote } from '../../shared/contract/field-notes.ts'
import { type EndpointName, endpoints } from '../../shared/contract/index.ts'
import { isTierLimitCode, limitErrorText } from '../../shared/contract/tier-errors.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import type { Limits } from '../../shared/rules/tiers/tier-limits.ts'
import { sessionCookieName } from './session.ts'

const rawTypes = {
  bytes: 'application/octet-stream',
  json: 'application/json',
  page: 'text/html',
  png: 'image/png',
  text: 'text/plain',
} as const

/** The start of the API reference, in Markdown. */
const description = `Share files by short links that expire.

**Sessions.** \`POST /api/auth/login\` sets the session cookie, which other calls need. There are no
API keys. Requests that change something are refused with \`FOREIGN_ORIGIN\` if their \`Origin\` is
another site.

**Upload a file.**
1. \`POST /api/files/get-upload-url\` returns \`uploadUrl\`, \`cloudKey\` and \`metadata\`, and for
   large files \`parts\`.
2. \`PUT\` the bytes to \`uploadUrl\`, or each part to its own URL, without cookies. \`Content-Type\`
   must be \`metadata.mimeType\`.
3. \`POST /api/files/confirm-upload\` with \`cloudKey\` and \`metadata\` returns the file with its
   \`shortCode\`. The link is \`/s/{shortCode}\`.

**Values.** Dates are ISO 8601 in UTC, sizes are bytes. Answers may get more fields later.

**Lists.** If there are more entries, the header \`x-next-cursor\` has the \`cursor\` of the next
call.

**Errors.** \`message\` is for people, \`code\` for programs. Answers with status 429 or 503 say in
\`Retry-After\` after how many seconds to try again. Answers to \`HEAD\` have the code in
\`X-Error-Code\`.`

/**
 * Returns an OpenAPI 3.1 document about all endpoints. Its error texts contain the current limits.
 * @param server the address that it names: an origin, or `/` for that of the document itself.
 */
export function openApiDocument(
  server: string,
  appUrl: URL,
  limits: Limits,
): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const name of Object.keys(endpoints) as EndpointName[]) {
    const row: Endpoint = endpoints[name]
    paths[row.path] = {
      ...paths[row.path],
      [row.method.toLowerCase()]: operation(name, row, limits),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Mayfly API', version: '1', description },
    servers: [{ url: server }],
    tags: callGroups.map(({ title, lead }) => ({ name: title, description: lead })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(appUrl) },
      },
      schemas: {
        Error: {
          type: 'object',
          required: ['message', 'code'],
          properties: {
            message: { type: 'string' },
            code: { type: 'string', enum: Object.keys(errorTable) },
          },
        },
      },
    },
  }
}

function operation(operationId: EndpointName, row: Endpoint, limits: Limits) {
  return {
    operationId,
    tags: [groupOf(operationId)],
    summary: row.summary,
    security: row.access === 'visitor' ? [] : [{ session: [] }],
    parameters: [...parameters('path', row.params), ...parameters('query', row.query)],
    ...(row.body && {
      requestBody: {
        required: !row.body.safeParse(undefined).success,
        content: json(schemaOf(row.body, 'input')),
      },
    }),
    ...(row.bytes && {
      requestBody: {
        required: true,
        content: Object.fromEntries(row.bytes.types.map((type) => [type, {}])),
      },
    }),
    responses: {
      ...success(row),
      ...failures([...row.errors, ...commonErrors], limits),
    },
  }
}

/**
 * Returns a schema as JSON Schema. A schema that transforms values has an input and an output, and
 * often only one of them can be written as JSON Schema. `io` says which of the two to return.
 */
function schemaOf(schema: ZodType, io: 'input' | 'output') {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  addNotes(rest, io === 'input' ? 'request' : 'answer')
  return rest
}

/** Adds a description to each field of a schema. It changes the schema itself. */
function addNotes(schema: z.core.JSONSchema.JSONSchema, place: 'request' | 'answer') {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (typeof field === 'boolean') continue
    const note = fieldNote(place, name)?.note
    if (note !== undefined) field.description ??= note
    addNotes(field, place)
  }
  for (const inner of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])].flat()) {
    if (typeof inner === 'object' && inner !== null) addNotes(inner, place)
  }
}

function json(schema: unknown) {
  return { 'application/json': { schema } }
}

function parameters(place: 'path' | 'query', schema: ZodType | undefined) {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function success(row: Endpoint) {
  if (answersJson(row.response)) {
    return { 200: { description: 'Success', content: json(schemaOf(row.response, 'output')) } }
  }
  const { raw } = row.response
  if (raw === 'redirect') return { 302: { description: 'A redirection' } }
  return { 200: { description: 'Success', content: { [rawTypes[raw]]: {} } } }
}

/** Groups the errors by status, because several codes can share one. */
function failures(codes: readonly ErrorCode[], limits: Limits) {
  const byStatus: Record<number, { description: string; content: unknown }> = {}
  for (const code of codes) {
    const { status } = errorTable[code]
    const told = byStatus[status]?.description
    const line = `${code}: ${errorText(code, limits)}`
    byStatus[status] = {
      description: told ? `${told}\n\n${line}` : line,
      content: json({ $ref: '#/components/schemas/Error' }),
    }
  }
  return byStatus
}

/** Returns the public text of an error. If the text names a limit, it names the current one. */
function errorText(code: ErrorCode, limits: Limits): string {
  return isTierLimitCode(code)
    ? limitErrorText(defaultTier, code, limits)
    : errorTable[code].message
}
