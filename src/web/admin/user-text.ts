import type { ListedUser } from '../../shared/contract/admin.ts'
import { tierTraits } from '../../shared/rules/tier-traits.ts'
import { mostFoundUsers } from '../../shared/rules/user-list.ts'
import { shortName } from '../ui/split-name.ts'
import { counted } from './counted.ts'

/** The longest name inside a sentence, in characters. */
const longestInSentence = 40

/** Returns how a sentence names a user: by name, or by mail address if there is no name. */
export function shownName({ name, email }: Pick<ListedUser, 'name' | 'email'>): string {
  return shortName(name.trim() || email, longestInSentence)
}

export interface ShownUsers {
  search: string
  /** How many users are shown. */
  shown: number
  /** How many users there are; undefined until it is known. */
  total: number | undefined
}

/** Says which users are shown: 'The 5 newest of 1,284', '12 found'. */
export function usersNote({ search, shown, total }: ShownUsers): string {
  if (search !== '') {
    return shown < mostFoundUsers ? `${shown} found` : `The ${shown} newest that match`
  }
  if (total === undefined || total <= shown) return counted(shown, 'user')
  return `The ${shown} newest of ${total.toLocaleString('en')}`
}

/** Returns the words of a user's badge: the tier, and whether it is a trial that runs. */
export function tierText(user: Pick<ListedUser, 'tier' | 'premiumTrialEndsAt'>, now: Date): string {
  const { name, upgradesTo } = tierTraits[user.tier]
  const isTrial = upgradesTo === null && Date.parse(user.premiumTrialEndsAt ?? '') > now.getTime()
  return isTrial ? `${name}, trial` : name
}

/** Says what goes with a user who is deleted. */
export function deletionText({ fileCount }: Pick<ListedUser, 'fileCount'>): string {
  const others = 'uploads under way, sessions, brand and waiting mails'
  const files =
    fileCount === 0
      ? `This account has no files. Its ${others} go with it.`
      : `${counted(fileCount, 'file')} of this account ${fileCount === 1 ? 'goes' : 'go'} with it, bytes and ${fileCount === 1 ? 'link' : 'links'}, and so do its ${others}.`
  return `${files} This cannot be undone.`
}

/** True if somebody typed this mail address. Addresses are kept in lower case. */
export function isSameAddress(typed: string, email: string): boolean {
  return typed.trim().toLowerCase() === email.toLowerCase()
}
