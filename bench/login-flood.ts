/** The thread of `measureLogins` that signs in without end: `clients` at once, each as soon as it is answered. */
import { parentPort, workerData } from 'node:worker_threads'
import { makeHttpClient } from './http-client.ts'

/** What it is told when it starts. */
export interface LoginFlood {
  url: string
  clients: number
  body: string
}

/** What it tells every 100 ms from its beginning: how many answers came so far, by status. */
export type FloodTally = Record<number, number>

const { url, clients, body } = workerData as LoginFlood
const http = makeHttpClient(clients)
const tally: FloodTally = {}
setInterval(() => parentPort?.postMessage(tally), 100)

async function signInAgainAndAgain(): Promise<never> {
  for (;;) {
    const headers = { 'content-type': 'application/json' }
    const login = { method: 'POST', headers, body }
    // A connection that broke counts as 0.
    const { status } = await http.send(`${url}/api/auth/login`, login).catch(() => ({ status: 0 }))
    tally[status] = (tally[status] ?? 0) + 1
  }
}
for (let client = 0; client < clients; client += 1) void signInAgainAndAgain()
