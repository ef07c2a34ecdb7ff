/**
 * Runs a simulated network line of 200 Mbit/s and 60 ms in its own process, so that nothing else
 * delays its bytes. Prints its origin to standard output. Reads from standard input to which port
 * it must forward.
 */
import { createInterface } from 'node:readline'
import { startSlowLine } from '../tests/support/slow-line.ts'

const line = await startSlowLine({ bytesPerSecond: 200e6 / 8, delayMs: 30 })
console.log(line.url)
createInterface({ input: process.stdin }).on('line', (port) => line.forwardTo(Number(port)))
