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
 * Says what an entry of the audit log records. Example: 'Tier: Free to Premium (trial)'. If it
 * cannot read the details, which an older version of the program may have written differently, it
 * returns only the name of the action.
 */
export function auditText({ action, details }: Pick<AuditLine, 'action' | 'details'>): string {
  return sentences[action]?.(details) ?? auditActionNames[action]
}

/**
 * Returns the email address of the user whom an entry is about, or the user's id if the user was
 * deleted and the entry does not contain the address. Returns null if the entry is about no
 * particular user.
 */
export function whomText({ action, subject, details }: Whom): string | null {
  const { email } = details
  return action === 'delete-user' && typeof email === 'string' ? email : subject
}

type Sentence = (details: Details) => string | undefined

/** Makes a sentence of details of this form. It is undefined for details of another form. */
function read<Known>(schema: z.ZodType<Known>, say: (known: Known) => string): Sentence {
  return (details) => {
    const { success, data } = schema.safeParse(details)
    return success ? say(data) : undefined
  }
}

/** The name of an action with the number of changed things. Example: 'Expired files: 12'. */
function figure(action: string, name: string): Sentence {
  return read(z.object({ [name]: z.number() }), (known) => {
    return `${action}: ${known[name]?.toLocaleString('en')}`
  })
}

/** The name of a test with its result. Example: 'Sent a test email: failed'. */
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
const standing = z.object({ tier: z.enum(tiers), trialEndsAt: z.string().nullable() })

/** The sentences that say more than the name of the action. */
const sentences: Partial<Record<AuditAction, Sentence>> = {
  'set-tier': read(z.object({ from: standing, to: standing }), ({ from, to }) => {
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

/** Returns the name of a setting. For a limit or a cap, this is its key with spaces. */
function settingLabel(key: SettingKey): string {
  const words = key.replaceAll('_', ' ')
  return isTextSetting(key)
    ? settingTexts[key].label
    : words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the value of a setting as part of a sentence. Returns null if it has several lines. */
function settingValue(key: SettingKey, value: string): string | null {
  return isTextSetting(key) ? settingTexts[key].inSentence(value) : typedText(key, value)
}
