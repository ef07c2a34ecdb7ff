import { writeFile } from 'node:fs/promises'
import type { OutgoingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../tests/support/free-port.ts'
import type { Answer } from './http-client.ts'
import { onCores } from './machine.ts'
import { startServer } from './servers.ts'

/** What the bare server answers, and its port. */
export interface BareNode {
  port: number
  answers: { prefix: string; headers: OutgoingHttpHeaders; bodyFile: string }[]
}

export interface BareServer {
  url: string
  pid: number
  stop(): Promise<void>
}

/**
 * Starts Node's own HTTP server on the same cores as Mayfly. To each path that begins with a key of
 * `answers` it sends the headers and the bytes of that answer of Mayfly.
 */
export async function startBareNode(
  dir: string,
  cores: string,
  answers: Record<string, Answer>,
): Promise<BareServer> {
  const port = await freePort()
  const config: BareNode = { port, answers: [] }
  for (const [at, [prefix, { headers, body }]] of Object.entries(answers).entries()) {
    const bodyFile = join(dir, `bare-${port}-${at}`)
    await writeFile(bodyFile, body)
    // Node adds these three by itself.
    const { connection: _, 'keep-alive': _alive, date: _date, ...kept } = headers
    config.answers.push({ prefix, headers: kept, bodyFile })
  }
  const configFile = join(dir, `bare-${port}.json`)
  await writeFile(configFile, JSON.stringify(config))
  const program = fileURLToPath(new URL('./bare-node-process.ts', import.meta.url))
  const command = onCores(cores, [process.execPath, program, configFile])
  const url = `http://127.0.0.1:${port}`
  const [first = '/'] = Object.keys(answers)
  const { pid, stop } = await startServer(command, {
    url: `${url}${first}`,
    logFile: join(dir, `bare-${port}.log`),
  })
  return { url, pid, stop }
}
