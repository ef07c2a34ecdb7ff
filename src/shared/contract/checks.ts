import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** Ordered from most to least urgent. */
export const checkStatuses = ['failing', 'warning', 'ok'] as const
export type CheckStatus = (typeof checkStatuses)[number]

const checkResult = z.object({
  name: z.string(),
  status: z.enum(checkStatuses),
  message: z.string(),
  cure: z.string().describe('What to do; empty if nothing.'),
})
export type CheckResult = z.infer<typeof checkResult>

const pendingWork = z.object({
  failingChecks: z.int().nonnegative(),
  openReports: z.int().nonnegative(),
})
export type PendingWork = z.infer<typeof pendingWork>

export const checks = {
  adminChecks: endpoint('GET', '/api/admin/checks', {
    summary: 'Check database, storage, email, clock, free space, jobs and settings',
    access: 'admin',
    response: z.array(checkResult),
  }),
  adminWaiting: endpoint('GET', '/api/admin/waiting', {
    summary: "Count failing checks and open reports. Doesn't extend the session",
    access: 'admin',
    isPolled: true,
    response: pendingWork,
  }),
}
