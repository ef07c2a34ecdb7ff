import { z } from 'zod'
import type { AuditLine } from '../../shared/contract/admin.ts'
import { type AuditAction, auditActionNames } from '../../shared/rules/accounts/audit-action.ts'
import {
  type GoogleLink,
  googleLinks,
  type PasswordChange,
  passwordChanges,
} from '../../shared/rules/accounts/audit-ways.ts'
import { type Role, roles } from '../../shared/rules/accounts/role.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import {
  type SettingKey,
  settingKeys,
  type TextSettingKey,
  textSettingKeys,
} from '../../shared/rules/tiers/admin-settings.ts'
import { tiers } from '../../shared/rules/tiers/tier.ts'
import { tierReasons } from '../../shared/rules/tiers/tier-change.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { settingTexts, typedText } from './setting-texts.ts'

type Details = AuditLine['details']
type Whom = Pick<AuditLine, 'action' | 'subject' | 'details'>

/**
 * Says what an entry of the audit log records. Example: 'Tier: Free to Premium (trial)'. If it
 * cannot read the details, which an older version of the program may have written differently, it
 * returns only the name of the action.
 */
export function auditText({ action, details }: Pick<AuditLine, 'action' | 'details'>): string {
  return sentences[action]?.(details) ?? auditActionNames[action]
}

/**
 * These functions return a sentence that says more than the name of the action. Each returns
 * undefined if it cannot read the details.
 */
const sentences: Partial<Record<AuditAction, (details: Details) => string | undefined>> = {
  'set-tier': tierSentence,
  'set-role': roleSentence,
  'change-password': passwordSentence,
  'link-google': linkSentence,
  'change-setting': settingSentence,
  'delete-user': (details) => {
    const count = countIn(details, 'deletedFiles')
    return count === undefined ? undefined : `Deleted a user, with ${counted(count, 'file')}`
  },
  'take-down': takedownSentence,
  'block-content': blockSentence,
  'clean-up-expired': (details) => figure('Cleaned up expired files', details, 'deletedCount'),
  'expire-files': (details) => {
    const done = figure('Expired files', details, 'expiredCount')
    const failed = countIn(details, 'failed') ?? 0
    return done && failed > 0 ? `${done}, ${failed.toLocaleString('en')} failed` : done
  },
  'expire-trials': (details) => figure('Expired trials', details, 'expiredCount'),
  'test-storage': (details) => verdict('Tested the storage connection', details, 'connected'),
  'test-mail': (details) => verdict('Sent a test email', details, 'success'),
  'sanitize-file-names': (details) => figure('Sanitized filenames', details, 'updated'),
}

/**
 * Returns the email address of the user whom an entry is about. Returns the user's id if the user
 * was deleted and the entry does not contain the address. Returns null if the entry is about no
 * particular user.
 */
export function whomText({ action, subject, details }: Whom): string | null {
  const { email } = details
  return action === 'delete-user' && typeof email === 'string' ? email : subject
}

const standing = z.object({ tier: z.enum(tiers), trialEndsAt: z.string().nullable() })
const tierDetails = z.object({ reason: z.enum(tierReasons), from: standing, to: standing })

function tierSentence(details: Details): string | undefined {
  const { data } = tierDetails.safeParse(details)
  if (data === undefined) return undefined
  const { from, to } = data
  const nameOf = ({ tier }: typeof from) => tierTraits[tier].name
  const trial =
    to.trialEndsAt !== null ? ' (trial)' : from.trialEndsAt !== null ? ' (trial ended)' : ''
  return from.tier === to.tier
    ? `Tier: ${nameOf(to)}${trial}`
    : `Tier: ${nameOf(from)} to ${nameOf(to)}${trial}`
}

const roleDetails = z.object({ from: z.enum(roles), to: z.enum(roles) })

const roleNames: Record<Role, string> = { user: 'User', admin: 'Administrator' }

function roleSentence(details: Details): string | undefined {
  const { data } = roleDetails.safeParse(details)
  return data && `Role: ${roleNames[data.from]} to ${roleNames[data.to]}`
}

const passwordTexts: Record<PasswordChange, string> = {
  session: 'Changed the password',
  email: 'Reset the password by email',
  'taking-over': 'Verified the address and replaced the earlier password',
}

const linkTexts: Record<GoogleLink, string> = {
  session: 'Linked Google',
  address: 'Linked Google (same address)',
  'taking-over': 'Linked Google and replaced an unverified account',
}

const passwordDetails = z.object({ by: z.enum(passwordChanges) })
const linkDetails = z.object({ by: z.enum(googleLinks) })

function passwordSentence(details: Details): string | undefined {
  const { data } = passwordDetails.safeParse(details)
  return data && passwordTexts[data.by]
}

function linkSentence(details: Details): string | undefined {
  const { data } = linkDetails.safeParse(details)
  return data && linkTexts[data.by]
}

const settingDetails = z.object({
  key: z.enum(settingKeys),
  from: z.string().nullable(),
  to: z.string(),
})

function settingSentence(details: Details): string | undefined {
  const { data } = settingDetails.safeParse(details)
  if (data === undefined) return undefined
  const label = settingLabel(data.key)
  const to = settingValue(data.key, data.to)
  if (to === null) return `${label} changed`
  const from = data.from === null ? 'the default' : settingValue(data.key, data.from)
  return `${label}: ${from} to ${to}`
}

const takedownDetails = z.object({ shortCode: z.string(), reason: z.string() })

function takedownSentence(details: Details): string | undefined {
  const { data } = takedownDetails.safeParse(details)
  return data && `Took /s/${data.shortCode} down: ${data.reason}`
}

function blockSentence(details: Details): string | undefined {
  const { data } = takedownDetails.safeParse(details)
  return data && `Blocked the content of /s/${data.shortCode}: ${data.reason}`
}

function isTextSetting(key: SettingKey): key is TextSettingKey {
  return textSettingKeys.some((one) => one === key)
}

/** Returns the name of a setting. For a limit or a cap, this is its key with spaces. */
function settingLabel(key: SettingKey): string {
  const words = key.replaceAll('_', ' ')
  return isTextSetting(key)
    ? settingTexts[key].label
    : words.charAt(0).toUpperCase() + words.slice(1)
}

/**
 * Returns the value of a setting as part of a sentence. Returns null if the value has several
 * lines.
 */
function settingValue(key: SettingKey, value: string): string | null {
  return isTextSetting(key) ? settingTexts[key].inSentence(value) : typedText(key, value)
}

function countIn(details: Details, name: string): number | undefined {
  const count = details[name]
  return typeof count === 'number' ? count : undefined
}

/** Writes a test with its result. Example: 'Sent a test email: failed'. */
function verdict(act: string, details: Details, name: string): string | undefined {
  const worked = details[name]
  return typeof worked === 'boolean' ? `${act}: ${worked ? 'OK' : 'failed'}` : undefined
}

/** Writes an action with the number of things that it changed. Example: 'Expired files: 12'. */
function figure(act: string, details: Details, name: string): string | undefined {
  const count = countIn(details, name)
  return count === undefined ? undefined : `${act}: ${count.toLocaleString('en')}`
}
