import { z } from 'zod'
import type { AuditEntry } from '../../shared/contract/admin.ts'
import {
  type AuditAction,
  auditActionNames,
  type GoogleLinkReason,
  googleLinkReasons,
  type PasswordChangeMethod,
  passwordChangeMethods,
} from '../../shared/rules/accounts/audit-action.ts'
import { type Role, roles } from '../../shared/rules/accounts/role.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import {
  type SettingKey,
  settingKeys,
  type TextSettingKey,
  textSettingKeys,
} from '../../shared/rules/tiers/admin-settings.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { inputText, settingTexts } from './setting-texts.ts'

type Details = AuditEntry['details']
type SubjectFields = Pick<AuditEntry, 'action' | 'subject' | 'details'>

/**
 * Describes an audit log entry. Example: 'Tier: Free to Premium (trial)'. Falls back to the
 * action's name if an older version of the server wrote details that don't match the schema.
 */
export function auditText({ action, details }: Pick<AuditEntry, 'action' | 'details'>): string {
  return sentences[action]?.(details) ?? auditActionNames[action]
}

/**
 * Returns the affected user's email address, or the user ID if the user was deleted and the entry
 * has no email address. Returns null if no particular user is affected.
 */
export function affectedUserText({ action, subject, details }: SubjectFields): string | null {
  const { email } = details
  return action === 'delete-user' && typeof email === 'string' ? email : subject
}

type Sentence = (details: Details) => string | undefined

/** Returns a formatter that yields undefined for details that don't match `schema`. */
function sentenceFrom<Parsed>(
  schema: z.ZodType<Parsed>,
  format: (parsed: Parsed) => string,
): Sentence {
  return (details) => {
    const { success, data } = schema.safeParse(details)
    return success ? format(data) : undefined
  }
}

/** Formats an action with a count: 'Expired files: 12'. */
function countSentence(action: string, name: string): Sentence {
  return sentenceFrom(z.object({ [name]: z.number() }), (parsed) => {
    return `${action}: ${parsed[name]?.toLocaleString('en')}`
  })
}

/** Formats a test with its result: 'Sent a test email: failed'. */
function resultSentence(action: string, name: string): Sentence {
  return sentenceFrom(z.object({ [name]: z.boolean() }), (parsed) => {
    return `${action}: ${parsed[name] ? 'OK' : 'failed'}`
  })
}

const passwordTexts: Record<PasswordChangeMethod, string> = {
  session: 'Changed the password',
  email: 'Reset the password by email',
  'taking-over': 'Verified the address and replaced the earlier password',
}

const linkTexts: Record<GoogleLinkReason, string> = {
  session: 'Linked Google',
  address: 'Linked Google (same address)',
  'taking-over': 'Linked Google and replaced an unverified account',
}

const roleNames: Record<Role, string> = { user: 'User', admin: 'Administrator' }

const takedown = z.object({ shortCode: z.string(), reason: z.string() })
const tierState = z.object({ tier: z.enum(tiers), trialEndsAt: z.string().nullable() })

/** Actions without an entry here are shown by name only. */
const sentences: Partial<Record<AuditAction, Sentence>> = {
  'set-tier': sentenceFrom(z.object({ from: tierState, to: tierState }), ({ from, to }) => {
    const names = [from, to].map(({ tier }) => tierTraits[tier].name)
    const endedSuffix = from.trialEndsAt === null ? '' : ' (trial ended)'
    const trial = to.trialEndsAt === null ? endedSuffix : ' (trial)'
    return `Tier: ${[...new Set(names)].join(' to ')}${trial}`
  }),
  'set-role': sentenceFrom(
    z.object({ from: z.enum(roles), to: z.enum(roles) }),
    ({ from, to }) => `Role: ${roleNames[from]} to ${roleNames[to]}`,
  ),
  'change-password': sentenceFrom(
    z.object({ by: z.enum(passwordChangeMethods) }),
    ({ by }) => passwordTexts[by],
  ),
  'link-google': sentenceFrom(
    z.object({ by: z.enum(googleLinkReasons) }),
    ({ by }) => linkTexts[by],
  ),
  'change-setting': sentenceFrom(
    z.object({ key: z.enum(settingKeys), from: z.string().nullable(), to: z.string() }),
    ({ key, from, to }) => {
      const newValue = settingValue(key, to)
      if (newValue === null) return `${settingLabel(key)} changed`
      const oldValue = from === null ? 'the default' : settingValue(key, from)
      return `${settingLabel(key)}: ${oldValue} to ${newValue}`
    },
  ),
  'delete-user': sentenceFrom(
    z.object({ deletedFiles: z.number() }),
    ({ deletedFiles }) => `Deleted a user, with ${formatCount(deletedFiles, 'file')}`,
  ),
  'take-down': sentenceFrom(
    takedown,
    (details) => `Took /s/${details.shortCode} down: ${details.reason}`,
  ),
  'block-content': sentenceFrom(
    takedown,
    (details) => `Blocked the content of /s/${details.shortCode}: ${details.reason}`,
  ),
  'clean-up-expired': countSentence('Cleaned up expired files', 'deletedCount'),
  'expire-files': sentenceFrom(
    z.object({ expiredCount: z.number(), failed: z.number().default(0) }),
    ({ expiredCount, failed }) =>
      `Expired files: ${expiredCount.toLocaleString('en')}${failed > 0 ? `, ${failed.toLocaleString('en')} failed` : ''}`,
  ),
  'expire-trials': countSentence('Expired trials', 'expiredCount'),
  'test-storage': resultSentence('Tested the storage connection', 'connected'),
  'test-mail': resultSentence('Sent a test email', 'success'),
  'sanitize-file-names': countSentence('Sanitized filenames', 'updated'),
}

function isTextSetting(key: SettingKey): key is TextSettingKey {
  return textSettingKeys.some((textKey) => textKey === key)
}

/** Returns a setting's name. For limits and caps, this is the key with spaces. */
function settingLabel(key: SettingKey): string {
  const words = key.replaceAll('_', ' ')
  return isTextSetting(key)
    ? settingTexts[key].label
    : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Formats a setting's value for use in a sentence, or returns null if it has several lines. */
function settingValue(key: SettingKey, value: string): string | null {
  return isTextSetting(key) ? settingTexts[key].inSentence(value) : inputText(key, value)
}
