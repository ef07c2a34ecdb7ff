/**
 * The names of all jobs, in the order in which the Admin Center's checks list them
 * (`admin/checks/jobs.ts`). `jobs/jobs.ts` defines their schedules and work.
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

/** Jobs that also run on demand (`requestJob`). */
export type OnDemandJob = Extract<JobName, 'compute-digests'>
