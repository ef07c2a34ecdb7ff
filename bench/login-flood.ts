/**
 * A worker thread that `measureLogins` starts. Each of its clients logs in again after every
 * response.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { makeHttpClient } from './http-client.ts'

export interface LoginFlood {
  url: string
  clients: number
  body: string
}

/** Number of responses so far, by status. Reported every 100 ms. */
export type StatusCounts = Record<number, number>

const { url, clients, body } = workerData as LoginFlood
const http = makeHttpClient(clients)
const statusCounts: StatusCounts = {}
setInterval(() => parentPort?.postMessage(statusCounts), 100)

async function keepLoggingIn(): Promise<never> {
  for (;;) {
    const headers = { 'content-type': 'application/json' }
    const login = { method: 'POST', headers, body }
    // A broken connection counts as status 0.
    const { status } = await http.send(`${url}/api/auth/login`, login).catch(() => ({ status: 0 }))
    statusCounts[status] = (statusCounts[status] ?? 0) + 1
  }
}
for (let client = 0; client < clients; client += 1) void keepLoggingIn()
