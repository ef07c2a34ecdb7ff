import { type ZodType, z } from 'zod'
import {
  type Access,
  type Endpoint,
  errorsOf,
  isJsonResponse,
  sendsTextErrors,
} from '../../shared/contract/endpoint.ts'
import { type ErrorCode, errorTable } from '../../shared/contract/errors.ts'
import { type EndpointName, endpoints, endpointsByFeature } from '../../shared/contract/index.ts'
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

/** Returns the introduction of the API reference, in Markdown. */
function description(origin: string) {
  return `Share files by short links that expire.

**From a terminal.** Create an API key on the [account page](${origin}/account). Then:

\`\`\`sh
KEY=mfy_…
curl -T report.pdf -H "Authorization: Bearer $KEY" ${origin}/api/up/
\`\`\`

This prints the link. \`?days=3\`, \`password=\` and \`maxDownloads=\` at the end of the address are
optional. From a pipe, and with other programs:

\`\`\`sh
tar cz photos | curl -T - -H "Authorization: Bearer $KEY" ${origin}/api/up/photos.tar.gz
wget -qO- --method=PUT --body-file=report.pdf \\
  --header="Authorization: Bearer $KEY" ${origin}/api/up/report.pdf
\`\`\`

\`\`\`powershell
$env:KEY = "mfy_…"
Invoke-RestMethod -Method Put -InFile report.pdf \`
  -Headers @{ Authorization = "Bearer $env:KEY" } ${origin}/api/up/report.pdf
\`\`\`

Until a pipe ends, its upload counts as the largest file that your tier allows.

The command line client needs Node 20 or newer. It sends folders, resumes interrupted
transfers, and downloads, lists, renews and deletes links:

\`\`\`sh
curl -O ${origin}/mayfly.mjs
MAYFLY_URL=${origin} MAYFLY_KEY=$KEY node mayfly.mjs put report.pdf photos
\`\`\`

**API keys.** A key in \`Authorization: Bearer\` takes the place of a session in the calls that name
a scope. Account, keys and administration need a session.

**Sessions.** \`POST /api/auth/login\` sets the session cookie, which other calls need. Requests
that change something are refused with \`FOREIGN_ORIGIN\` if their \`Origin\` is another site.

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
}

/**
 * Returns the OpenAPI 3.1 document. Error messages contain the current limits.
 * @param server an origin, or `/` for the origin that serves the document.
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
      [row.method.toLowerCase()]: createOperation(name, row, limits),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Mayfly API',
      version: '1',
      description: description(server === '/' ? appUrl.origin : server),
    },
    servers: [{ url: server }],
    tags: Object.keys(endpointsByFeature).map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(appUrl) },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key with the scope that the call names.',
        },
        uploadToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Upload`, a space, and the `uploadToken` of a delivery.',
        },
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

function findTag(name: EndpointName, row: Endpoint): string | undefined {
  if (row.access === 'admin') return 'admin'
  return Object.entries(endpointsByFeature).find(([, endpoints]) => name in endpoints)?.[0]
}

/** Each entry suffices. */
function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'visitor') return []
  if (typeof access === 'string') return [{ session: [] }]
  const uploadToken = access.uploadToken ? [{ uploadToken: [] }] : []
  return [{ session: [] }, { apiKey: [access.scope] }, ...uploadToken]
}

function createOperation(operationId: EndpointName, row: Endpoint, limits: Limits) {
  return {
    operationId,
    tags: [findTag(operationId, row)],
    summary: row.summary,
    security: securityOf(row.access),
    parameters: [...createParameters('path', row.params), ...createParameters('query', row.query)],
    ...(row.body && {
      requestBody: {
        required: !row.body.safeParse(undefined).success,
        content: createJsonContent(toJsonSchema(row.body, 'input')),
      },
    }),
    ...(row.bytes && {
      requestBody: {
        required: true,
        content: Object.fromEntries(row.bytes.types.map((type) => [type, {}])),
      },
    }),
    responses: {
      ...createSuccessResponse(row),
      ...createErrorResponses(row, limits),
    },
  }
}

function toJsonSchema(schema: ZodType, io: 'input' | 'output') {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

function createJsonContent(schema: unknown) {
  return { 'application/json': { schema } }
}

function createParameters(location: 'path' | 'query', schema: ZodType | undefined) {
  if (!schema) return []
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input')
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: location,
    required: location === 'path' || required.includes(name),
    schema: property,
  }))
}

function createSuccessResponse({ response, status }: Endpoint) {
  const { raw = null, json = null } = isJsonResponse(response) ? { json: response } : response
  if (raw === 'redirect') return { 302: { description: 'Redirect' } }
  const content = {
    ...(raw && { [rawTypes[raw]]: {} }),
    ...(json && createJsonContent(toJsonSchema(json, 'output'))),
  }
  return { [status ?? 200]: { description: 'Success', ...(status !== 204 && { content }) } }
}

function createErrorResponses(row: Endpoint, limits: Limits) {
  const byStatus: Record<number, { description: string; content: unknown }> = {}
  const content = {
    ...(sendsTextErrors(row) && { [rawTypes.text]: {} }),
    ...createJsonContent({ $ref: '#/components/schemas/Error' }),
  }
  for (const code of errorsOf(row)) {
    const { status } = errorTable[code]
    const existingText = byStatus[status]?.description
    const line = `${code}: ${errorText(code, limits)}`
    byStatus[status] = {
      description: existingText ? `${existingText}\n\n${line}` : line,
      content,
    }
  }
  return byStatus
}

/** Returns an error's message with the current limit. */
function errorText(code: ErrorCode, limits: Limits): string {
  return isTierLimitCode(code)
    ? limitErrorText(defaultTier, code, limits)
    : errorTable[code].message
}
