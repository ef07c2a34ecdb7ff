/**
 * The names of all jobs, in the order in which the server's checks report on them
 * (`admin/checks/jobs.ts`). `jobs/jobs.ts` says when each job runs and what it does.
 */
export const jobNames = [
  'expire-files',
  'report-overdue',
  'expire-trials',
  'tell-first-downloads',
  'tell-ending-links',
  'sweep-uploads',
  'find-blocked-content',
  'compute-digests',
  'compare-storage',
  'remove-lapsed-rows',
  'remove-old-days',
] as const
export type JobName = (typeof jobNames)[number]

/** The jobs that also run when they are asked for. */
const jobsOnDemand = ['compute-digests', 'find-blocked-content'] as const satisfies JobName[]
/** A job that runs on its schedule, and also at once when the server asks for it (`askForJob`). */
export type JobOnDemand = (typeof jobsOnDemand)[number]
