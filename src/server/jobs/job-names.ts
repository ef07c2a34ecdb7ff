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
  'compute-digests',
  'compare-storage',
  'remove-lapsed-rows',
  'remove-old-days',
] as const
export type JobName = (typeof jobNames)[number]

/** A job that also runs when the server asks for it (`askForJob`). */
export type JobOnDemand = Extract<JobName, 'compute-digests'>
