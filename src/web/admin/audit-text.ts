import { z } from 'zod'
import type { AuditLine } from '../../shared/contract/admin.ts'
import {
  type AuditAction,
  auditActionNames,
  type GoogleLink,
  googleLinks,
  type PasswordChange,
  passwordChanges,
} from '../../shared/rules/accounts/audit-action.ts'
import { type Role, roles } from '../../shared/rules/accounts/role.ts'
import { counted } from '../../shared/rules/format/numbers.ts'
import {
  type SettingKey,
  settingKeys,
  type TextSettingKey,
  textSettingKeys,
} from '../../shared/rules/tiers/admin-settings.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { settingTexts, typedText } from './setting-texts.ts'

type Details = AuditLine['details']
type Whom = Pick<AuditLine, 'action' | 'subject' | 'details'>

/**
 * Describes an audit log entry. Example: 'Tier: Free to Premium (trial)'. Falls back to the
 * action's name if the details don't match the schema, as an older version may have written them.
 */
export function auditText({ action, details }: Pick<AuditLine, 'action' | 'details'>): string {
  return sentences[action]?.(details) ?? auditActionNames[action]
}

/**
 * Returns the email address of the user an entry concerns, or the user's id if the user was deleted
 * and the entry lacks the address. Null if the entry concerns no particular user.
 */
export function affectedUserText({ action, subject, details }: Whom): string | null {
  const { email } = details
  return action === 'delete-user' && typeof email === 'string' ? email : subject
}

type Sentence = (details: Details) => string | undefined

/** Builds a sentence from details that match `schema`; undefined for any others. */
function read<Known>(schema: z.ZodType<Known>, say: (known: Known) => string): Sentence {
  return (details) => {
    const { success, data } = schema.safeParse(details)
    return success ? say(data) : undefined
  }
}

/** An action with a count. Example: 'Expired files: 12'. */
function figure(action: string, name: string): Sentence {
  return read(z.object({ [name]: z.number() }), (known) => {
    return `${action}: ${known[name]?.toLocaleString('en')}`
  })
}

/** A test with its result. Example: 'Sent a test email: failed'. */
function verdict(action: string, name: string): Sentence {
  return read(z.object({ [name]: z.boolean() }), (known) => {
    return `${action}: ${known[name] ? 'OK' : 'failed'}`
  })
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

const roleNames: Record<Role, string> = { user: 'User', admin: 'Administrator' }

const takedown = z.object({ shortCode: z.string(), reason: z.string() })
const tierFacts = z.object({ tier: z.enum(tiers), trialEndsAt: z.string().nullable() })

/** Actions with more to report than their name. */
const sentences: Partial<Record<AuditAction, Sentence>> = {
  'set-tier': read(z.object({ from: tierFacts, to: tierFacts }), ({ from, to }) => {
    const names = [from, to].map(({ tier }) => tierTraits[tier].name)
    const ended = from.trialEndsAt === null ? '' : ' (trial ended)'
    const trial = to.trialEndsAt === null ? ended : ' (trial)'
    return `Tier: ${[...new Set(names)].join(' to ')}${trial}`
  }),
  'set-role': read(
    z.object({ from: z.enum(roles), to: z.enum(roles) }),
    ({ from, to }) => `Role: ${roleNames[from]} to ${roleNames[to]}`,
  ),
  'change-password': read(z.object({ by: z.enum(passwordChanges) }), ({ by }) => passwordTexts[by]),
  'link-google': read(z.object({ by: z.enum(googleLinks) }), ({ by }) => linkTexts[by]),
  'change-setting': read(
    z.object({ key: z.enum(settingKeys), from: z.string().nullable(), to: z.string() }),
    ({ key, from, to }) => {
      const shown = settingValue(key, to)
      if (shown === null) return `${settingLabel(key)} changed`
      const before = from === null ? 'the default' : settingValue(key, from)
      return `${settingLabel(key)}: ${before} to ${shown}`
    },
  ),
  'delete-user': read(
    z.object({ deletedFiles: z.number() }),
    ({ deletedFiles }) => `Deleted a user, with ${counted(deletedFiles, 'file')}`,
  ),
  'take-down': read(takedown, (of) => `Took /s/${of.shortCode} down: ${of.reason}`),
  'block-content': read(
    takedown,
    (of) => `Blocked the content of /s/${of.shortCode}: ${of.reason}`,
  ),
  'clean-up-expired': figure('Cleaned up expired files', 'deletedCount'),
  'expire-files': read(
    z.object({ expiredCount: z.number(), failed: z.number().default(0) }),
    ({ expiredCount, failed }) =>
      `Expired files: ${expiredCount.toLocaleString('en')}${failed > 0 ? `, ${failed.toLocaleString('en')} failed` : ''}`,
  ),
  'expire-trials': figure('Expired trials', 'expiredCount'),
  'test-storage': verdict('Tested the storage connection', 'connected'),
  'test-mail': verdict('Sent a test email', 'success'),
  'sanitize-file-names': figure('Sanitized filenames', 'updated'),
}

function isTextSetting(key: SettingKey): key is TextSettingKey {
  return textSettingKeys.some((one) => one === key)
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
  return isTextSetting(key) ? settingTexts[key].inSentence(value) : typedText(key, value)
}
