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
  type ChoiceSettingKey,
  choiceSettings,
  type SettingKey,
  settingKeys,
  type TextSettingKey,
  textSettingKeys,
} from '../../shared/rules/tiers/admin-settings.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { formatInput, settingStrings } from './setting-texts.ts'

type Details = AuditEntry['details']
type SubjectFields = Pick<AuditEntry, 'action' | 'subject' | 'details'>

/**
 * Describes an audit log entry, such as 'Tier: Free to Premium (trial)'. Falls back to the action's
 * name if the details don't match the schema, because an older version of the server wrote them.
 */
export function auditText({ action, details }: Pick<AuditEntry, 'action' | 'details'>): string {
  return sentenceFormatters[action]?.(details) ?? auditActionNames[action]
}

/**
 * Returns the affected user's email address, or the user ID if the user was deleted and the entry
 * has no email address. Returns null if no particular user is affected.
 */
export function affectedUserText({ action, subject, details }: SubjectFields): string | null {
  const { email } = details
  return action === 'delete-user' && typeof email === 'string' ? email : subject
}

type SentenceFormatter = (details: Details) => string | undefined

/** Returns a formatter that yields undefined for details that don't match `schema`. */
function createSentenceFormatter<Parsed>(
  schema: z.ZodType<Parsed>,
  format: (parsed: Parsed) => string,
): SentenceFormatter {
  return (details) => {
    const { success, data } = schema.safeParse(details)
    return success ? format(data) : undefined
  }
}

/** Returns a formatter for actions that report a count, as in 'Expired files: 12'. */
function createCountFormatter(action: string, name: string): SentenceFormatter {
  return createSentenceFormatter(z.object({ [name]: z.number() }), (parsed) => {
    return `${action}: ${parsed[name]?.toLocaleString('en')}`
  })
}

/** Returns a formatter for tests that report a result, as in 'Sent a test email: failed'. */
function createResultFormatter(action: string, name: string): SentenceFormatter {
  return createSentenceFormatter(z.object({ [name]: z.boolean() }), (parsed) => {
    return `${action}: ${parsed[name] ? 'OK' : 'failed'}`
  })
}

const passwordChangeDescriptions: Record<PasswordChangeMethod, string> = {
  session: 'Changed the password',
  email: 'Reset the password by email',
  'taking-over': 'Verified the address and replaced the earlier password',
}

const googleLinkDescriptions: Record<GoogleLinkReason, string> = {
  session: 'Linked Google',
  address: 'Linked Google (same address)',
  'taking-over': 'Linked Google and replaced an unverified account',
}

const roleNames: Record<Role, string> = { user: 'User', admin: 'Administrator' }

const takedownDetailsSchema = z.object({ shortCode: z.string(), reason: z.string() })
const tierStateSchema = z.object({ tier: z.enum(tiers), trialEndsAt: z.string().nullable() })

/** Formatters by action. Other actions are shown by name only. */
const sentenceFormatters: Partial<Record<AuditAction, SentenceFormatter>> = {
  'set-tier': createSentenceFormatter(
    z.object({ from: tierStateSchema, to: tierStateSchema }),
    ({ from, to }) => {
      const tierNames = [from, to].map(({ tier }) => tierTraits[tier].name)
      const endedSuffix = from.trialEndsAt === null ? '' : ' (trial ended)'
      const trialSuffix = to.trialEndsAt === null ? endedSuffix : ' (trial)'
      return `Tier: ${[...new Set(tierNames)].join(' to ')}${trialSuffix}`
    },
  ),
  'set-role': createSentenceFormatter(
    z.object({ from: z.enum(roles), to: z.enum(roles) }),
    ({ from, to }) => `Role: ${roleNames[from]} to ${roleNames[to]}`,
  ),
  'change-password': createSentenceFormatter(
    z.object({ by: z.enum(passwordChangeMethods) }),
    ({ by }) => passwordChangeDescriptions[by],
  ),
  'link-google': createSentenceFormatter(
    z.object({ by: z.enum(googleLinkReasons) }),
    ({ by }) => googleLinkDescriptions[by],
  ),
  'change-setting': createSentenceFormatter(
    z.object({ key: z.enum(settingKeys), from: z.string().nullable(), to: z.string() }),
    ({ key, from, to }) => {
      const newValue = settingValue(key, to)
      if (newValue === null) return `${settingLabel(key)} changed`
      const oldValue = from === null ? 'the default' : settingValue(key, from)
      return `${settingLabel(key)}: ${oldValue} to ${newValue}`
    },
  ),
  'delete-user': createSentenceFormatter(
    z.object({ deletedFiles: z.number() }),
    ({ deletedFiles }) => `Deleted a user, with ${formatCount(deletedFiles, 'file')}`,
  ),
  'take-down': createSentenceFormatter(
    takedownDetailsSchema,
    (details) => `Took /s/${details.shortCode} down: ${details.reason}`,
  ),
  'block-content': createSentenceFormatter(
    takedownDetailsSchema,
    (details) => `Blocked the content of /s/${details.shortCode}: ${details.reason}`,
  ),
  'clean-up-expired': createCountFormatter('Cleaned up expired files', 'deletedCount'),
  'expire-files': createSentenceFormatter(
    z.object({ expiredCount: z.number(), failed: z.number().default(0) }),
    ({ expiredCount, failed }) =>
      `Expired files: ${expiredCount.toLocaleString('en')}${failed > 0 ? `, ${failed.toLocaleString('en')} failed` : ''}`,
  ),
  'expire-trials': createCountFormatter('Expired trials', 'expiredCount'),
  'test-storage': createResultFormatter('Tested the storage connection', 'connected'),
  'test-mail': createResultFormatter('Sent a test email', 'success'),
  'sanitize-file-names': createCountFormatter('Sanitized filenames', 'updated'),
}

function isTextSetting(key: SettingKey): key is TextSettingKey {
  return textSettingKeys.some((textKey) => textKey === key)
}

function isChoiceSetting(key: SettingKey): key is ChoiceSettingKey {
  return Object.hasOwn(choiceSettings, key)
}

/**
 * Returns a setting's display name. For limits and caps, this is the key with spaces instead of
 * underscores.
 */
function settingLabel(key: SettingKey): string {
  const spacedKey = key.replaceAll('_', ' ')
  return isTextSetting(key)
    ? settingStrings[key].label
    : spacedKey.charAt(0).toUpperCase() + spacedKey.slice(1)
}

/** Formats a setting's value for use in a sentence, or returns null if it has several lines. */
function settingValue(key: SettingKey, value: string): string | null {
  if (isTextSetting(key)) return settingStrings[key].inSentence(value)
  return isChoiceSetting(key) ? value : formatInput(key, value)
}
