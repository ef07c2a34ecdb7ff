/** The titles of the sections of the Admin Center by their ids, in the order of the page. */
export const sectionTitles = {
  numbers: 'Numbers',
  checks: 'Checks',
  users: 'Users',
  maintenance: 'Maintenance',
  reports: 'Reports',
  settings: 'Settings',
  limits: 'Limits',
  feedback: 'Feedback',
  audit: 'Audit log',
} as const

export type SectionId = keyof typeof sectionTitles

export const sectionIds = Object.keys(sectionTitles) as SectionId[]
