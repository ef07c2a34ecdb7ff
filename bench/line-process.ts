/**
 * A line of 200 Mbit/s and 60 ms in a process of its own, so that nothing else delays what it
 * carries. Says its origin on standard output; a port on standard input is where it leads.
 */
import { createInterface } from 'node:readline'
import { startSlowLine } from '../tests/support/slow-line.ts'

const line = await startSlowLine({ bytesPerSecond: 200e6 / 8, delayMs: 30 })
console.log(line.url)
createInterface({ input: process.stdin }).on('line', (port) => line.forwardTo(Number(port)))
