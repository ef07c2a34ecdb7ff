/**
 * Runs Node's own HTTP server with no framework, log, limit or database: it answers each path with
 * fixed headers and bytes. This shows how fast any server on Node can be at most. The one argument
 * is a file with a `BareNode`.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { BareNode } from './bare-node.ts'

const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BareNode
const answers = config.answers.map(({ prefix, headers, bodyFile }) => ({
  prefix,
  headers,
  body: readFileSync(bodyFile),
}))
createServer((request, response) => {
  const answer = answers.find(({ prefix }) => request.url?.startsWith(prefix))
  response.writeHead(answer ? 200 : 404, answer?.headers)
  response.end(answer?.body)
}).listen(config.port, '127.0.0.1')
