import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** The results that a check can have, the most urgent first. */
export const checkStatuses = ['failing', 'warning', 'ok'] as const
export type CheckStatus = (typeof checkStatuses)[number]

/** A result of a check. `cure` says what to do, and is empty if there is nothing to do. */
const checkLine = z.object({
  name: z.string(),
  status: z.enum(checkStatuses),
  message: z.string(),
  cure: z.string(),
})
export type CheckLine = z.infer<typeof checkLine>

/** What waits for the administrator. */
const waiting = z.object({
  failingChecks: z.int().nonnegative(),
  openReports: z.int().nonnegative(),
})
export type AdminWaiting = z.infer<typeof waiting>

export const checks = {
  adminChecks: endpoint({
    method: 'GET',
    path: '/api/admin/checks',
    summary:
      'Try everything that the server needs: database, storage, mail, clocks, free space, jobs and settings. Each line says what was found, and where something is wrong, what to do. Answers within 15 seconds. The lines are up to 5 seconds old, but never older than the last act of the administrator. With `fresh=true` the checks begin after this call; while others run, it waits until those have ended, and all calls that wait get the same lines.',
    access: 'admin',
    query: z.object({ fresh: z.enum(['true', 'false']).optional() }),
    response: z.array(checkLine),
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
  adminWaiting: endpoint({
    method: 'GET',
    path: '/api/admin/waiting',
    summary:
      'How many lines of the checks are failing, and how many reports are open. The checks are made anew only if the last ones are ten minutes old, one minute if one of them was failing, or older than the last act of the administrator. Pages ask by themselves, so this call does not prolong the session.',
    access: 'admin',
    isPolled: true,
    response: waiting,
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
  }),
}
