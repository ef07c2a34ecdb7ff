import type { Link, LinkFile } from '../../shared/contract/links.ts'
import { isUsedUp, linkName, linkStatus } from '../../shared/rules/links/link-status.ts'
import type { Tier } from '../../shared/rules/tiers/tier.ts'
import { linkDates } from './link-dates.ts'

/** What is true of a link once it is true of all its files, and null until then. */
type SharedState = Pick<LinkFile, 'purgingAt' | 'purgeDueAt' | 'purgedAt' | 'takenDownAt'>

/** A link as lists show it. */
export interface ListedLink extends Link, SharedState {
  name: string
  takedownReason: string | null
}

/** Adds a link's name and what its files have in common. */
export function toListedLink(link: Link): ListedLink {
  const { files, title } = link
  const latest = (key: keyof SharedState) => {
    const times = files.map((file) => file[key])
    return times.includes(null) ? null : (times.toSorted().at(-1) ?? null)
  }
  const takenDownAt = latest('takenDownAt')
  return {
    ...link,
    name: linkName({ title, firstFileName: files[0]?.name ?? '', fileCount: files.length }),
    purgingAt: latest('purgingAt'),
    purgeDueAt: latest('purgeDueAt'),
    purgedAt: latest('purgedAt'),
    takenDownAt,
    takedownReason: takenDownAt === null ? null : (files[0]?.takedownReason ?? null),
  }
}

/** Returns a link without one of its files. */
export function withoutFile(link: ListedLink, fileId: string): ListedLink {
  const files = link.files.filter(({ id }) => id !== fileId)
  const totalSize = files.reduce((sum, { size }) => sum + size, 0)
  return toListedLink({ ...link, files, totalSize })
}

/** True if a link works and has downloads left. */
export function isOpen(link: ListedLink, tier: Tier, now: Date): boolean {
  return linkStatus(linkDates(link), tier, now) === 'active' && !isUsedUp(link)
}

/** Says why a received link can't be copied or emailed yet. */
export const notSharedReason = 'Only you can open this link. Share it first.'

/** True if a link can be given to others. A received link is for its owner alone until shared. */
export function canShare(link: ListedLink, tier: Tier, now: Date): boolean {
  return link.shared && isOpen(link, tier, now)
}

/** Returns how much of an uploading link has arrived, as a whole percentage. */
export function uploadPercent({ files, totalSize }: Pick<Link, 'files' | 'totalSize'>): number {
  const received = files.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0)
  return totalSize === 0 ? 0 : Math.floor((received / totalSize) * 100)
}
