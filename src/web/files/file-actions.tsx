import { Copy, Mail, RefreshCw, Trash2 } from 'lucide-react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import type { LinkStatus } from '../../shared/rules/links/link-status.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { Button, IconButton, IconLink } from '../ui/button.tsx'
import { CopyLinkButton } from './copy-links.tsx'
import { shareEmailUrl } from './share-email.ts'

export interface FileActionsProps {
  file: StoredFile
  status: LinkStatus
  tier: Tier
  /** The short link as an absolute URL. */
  link: string
  /** The signature that the administrator has set for emails that share a link. */
  signature: string
  onDelete: (file: StoredFile) => void
  onRenew: (file: StoredFile) => void
  /** True if copying this link is the page's main action. */
  isPrimary?: boolean
}

/** Says why a link can't be copied or emailed (spec §4). */
const cannotShareReasons: Record<Exclude<LinkStatus, 'active'>, string> = {
  private: 'This link has ended. Renew it to get a new one.',
  deleted: 'This file has expired, so there is no link to share.',
}

const cannotRenewText = 'This file has permanently expired, so its link cannot be renewed.'

function cannotShareReason(file: StoredFile, status: LinkStatus): string | undefined {
  if (status === 'active') return undefined
  if (file.takenDownAt === null) return cannotShareReasons[status]
  return 'This file was taken down, so there is no link to share.'
}

function cannotRenewReason({ takenDownAt }: StoredFile): string {
  return takenDownAt === null
    ? cannotRenewText
    : 'This file was taken down, so its link cannot be renewed.'
}

/**
 * Buttons for the actions that the tier includes. Unavailable actions stay visible and say why. For
 * a private file, Copy and Renew swap places, because renewing is the main action.
 */
export function FileActions(props: FileActionsProps) {
  const { file, status, tier, link, signature, onDelete, onRenew, isPrimary = false } = props
  const name = file.originalName
  const unavailableReason = cannotShareReason(file, status)
  const isPrivate = status === 'private'
  const canRenew = tierTraits[tier].renewal
  return (
    <div
      className={`flex items-center justify-end gap-1 max-sm:col-span-full max-sm:-mt-1 sm:col-start-3 sm:row-start-1 lg:col-start-auto lg:row-start-auto max-sm:[&_:is(a,button)]:min-h-11 max-sm:[&_:is(a,button)]:min-w-11 ${canRenew ? 'sm:w-[208px]' : 'sm:w-[172px]'}`}
    >
      <div className="mr-1 flex-1">
        {isPrivate ? (
          <Button size="small" wide icon={<RefreshCw />} onClick={() => onRenew(file)}>
            Renew
            <span className="sr-only">link of {name}</span>
          </Button>
        ) : (
          <CopyLinkButton
            link={link}
            fileName={name}
            unavailable={unavailableReason}
            variant={isPrimary && unavailableReason === undefined ? 'primary' : 'plain'}
          />
        )}
      </div>
      {unavailableReason === undefined ? (
        <IconLink
          label={`Email link of ${name}`}
          icon={<Mail />}
          href={shareEmailUrl({
            fileName: name,
            fileSize: file.size,
            link,
            expiresAt: new Date(file.expiresAt),
            signature,
          })}
        />
      ) : (
        <IconButton
          label={`Email link of ${name}`}
          icon={<Mail />}
          unavailable={unavailableReason}
        />
      )}
      {isPrivate ? (
        <IconButton
          label={`Copy link of ${name}`}
          icon={<Copy />}
          unavailable={unavailableReason}
        />
      ) : canRenew ? (
        <IconButton
          label={`Renew link of ${name}`}
          icon={<RefreshCw />}
          unavailable={status === 'deleted' ? cannotRenewReason(file) : undefined}
          onClick={() => onRenew(file)}
        />
      ) : null}
      <IconButton label={`Delete ${name}`} icon={<Trash2 />} onClick={() => onDelete(file)} />
    </div>
  )
}
