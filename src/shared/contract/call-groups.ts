import { abuse } from './abuse.ts'
import { account } from './account.ts'
import { analytics } from './analytics.ts'
import { branding } from './branding.ts'
import { downloads } from './downloads.ts'
import type { Endpoint } from './endpoint.ts'
import { feedback } from './feedback.ts'
import { files } from './files.ts'
import { type EndpointName, endpoints } from './index.ts'
import { operations } from './operations.ts'
import { ownAccount } from './own-account.ts'
import { preferences } from './preferences.ts'
import { settings } from './settings.ts'
import { signInWays } from './sign-in-ways.ts'
import { tiers } from './tiers.ts'
import { uploads } from './uploads.ts'

/** A group of related calls in the API reference. */
export interface CallGroup {
  title: string
  /** A sentence about all calls of the group. */
  lead: string
  names: readonly EndpointName[]
}

const features: readonly { title: string; lead: string; rows: Record<string, Endpoint> }[] = [
  {
    title: 'Signing in',
    lead: 'Accounts, sessions, and the emails that prove an address.',
    rows: { ...account, ...signInWays },
  },
  {
    title: 'Uploads',
    lead: 'How a file gets to storage. The steps are told above.',
    rows: uploads,
  },
  {
    title: 'Files',
    lead: 'What an account has uploaded, and what can be done with it.',
    rows: { ...files, ...preferences },
  },
  {
    title: 'Links',
    lead: 'What anybody with a link can do.',
    rows: { ...downloads, ...abuse },
  },
  { title: 'Analytics', lead: 'Downloads in figures, with Premium.', rows: analytics },
  {
    title: 'Branding',
    lead: 'What download pages show of their owner, with Premium.',
    rows: branding,
  },
  {
    title: 'Own account',
    lead: 'The name, the password, the sessions and the tier of the caller.',
    rows: { ...ownAccount, ...tiers },
  },
  { title: 'Feedback', lead: 'What the feedback form sends.', rows: feedback },
  {
    title: 'This server',
    lead: 'Its settings that everybody may read, its health, and this description.',
    rows: { ...settings, ...operations },
  },
]

function isForAdministrators(name: EndpointName): boolean {
  const row: Endpoint = endpoints[name]
  return row.access === 'admin'
}

/**
 * Every call of the contract belongs to one of these groups. The administrator's calls have their
 * own group. Calls that no entry of `features` contains are in the group 'Other calls'.
 */
export const callGroups: readonly CallGroup[] = [
  ...features.map(({ title, lead, rows }) => ({
    title,
    lead,
    names: (Object.keys(rows) as EndpointName[]).filter((name) => !isForAdministrators(name)),
  })),
  { title: 'Other calls', lead: 'What belongs to no other group.', names: otherNames() },
  {
    title: 'Administration',
    lead: 'For the administrator alone.',
    names: (Object.keys(endpoints) as EndpointName[]).filter(isForAdministrators),
  },
].filter(({ names }) => names.length > 0)

function otherNames(): EndpointName[] {
  const named = new Set(features.flatMap(({ rows }) => Object.keys(rows)))
  return (Object.keys(endpoints) as EndpointName[]).filter(
    (name) => !named.has(name) && !isForAdministrators(name),
  )
}

/**
 * Returns the title of the group that a call belongs to.
 * @throws {Error} for a call that is in no group.
 */
export function groupOf(name: EndpointName): string {
  const group = callGroups.find(({ names }) => names.includes(name))
  if (group === undefined) throw new Error(`The call ${name} is in no group.`)
  return group.title
}
