import { setTimeout as wait } from 'node:timers/promises'
import { type Fault, maxDelayMs } from './fault.ts'

const hourMs = 60 * 60_000

/** Faults in the server's process, jobs and clock. */
export const serverFaults = {
  'no fault': { affects: [], weight: 3, inject: async () => {} },
  'the server is killed': {
    affects: ['processes'],
    weight: 3,
    async inject({ server }, random) {
      await wait(random(maxDelayMs))
      await server.kill()
    },
  },
  'the server is killed twice': {
    affects: ['processes'],
    weight: 1,
    async inject({ server }, random) {
      await wait(random(maxDelayMs))
      await server.kill()
      const restartPromise = server.start().catch(() => {})
      await wait(random(400))
      await server.kill()
      await restartPromise
    },
  },
  'the jobs run': {
    affects: ['jobs'],
    weight: 3,
    async inject({ server }, random) {
      await wait(random(maxDelayMs))
      await server.run({ type: 'run-jobs' })
    },
  },
  'the server is killed while the jobs run': {
    affects: ['processes', 'jobs'],
    weight: 2,
    async inject({ server }, random) {
      const jobsPromise = server.run({ type: 'run-jobs' })
      await wait(random(maxDelayMs))
      await server.kill()
      await jobsPromise
    },
  },
  'time passes': {
    affects: ['clock'],
    weight: 4,
    async inject({ server }, random) {
      await wait(random(maxDelayMs))
      await server.setClock(new Date(server.now().getTime() + random(30 * hourMs)))
    },
  },
  'the clock is set back': {
    affects: ['clock'],
    weight: 1,
    async inject({ server }, random) {
      await wait(random(maxDelayMs))
      await server.setClock(new Date(server.now().getTime() - random(hourMs)))
    },
  },
} as const satisfies Record<string, Fault>
