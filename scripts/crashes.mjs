/**
 * Runs the tests that kill or restart servers while simulated users are active, with more rounds
 * than `npm test` does. Usage: `npm run crashes -- --rounds n`.
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } })
if (!/^[1-9]\d{0,5}$/.test(values.rounds)) {
  console.error('Usage: npm run crashes -- --rounds n')
  process.exit(2)
}
const dayMs = 24 * 60 * 60_000
const { status } = spawnSync(
  'vitest',
  ['run', `--testTimeout=${dayMs}`, 'tests/s3-server-crashes.test.ts'],
  {
    stdio: 'inherit',
    env: { ...process.env, CRASH_ROUNDS: values.rounds },
  },
)
process.exit(status ?? 1)
