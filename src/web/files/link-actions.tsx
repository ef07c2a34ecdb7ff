import {
  ChevronDown,
  Copy,
  FilePlus,
  Mail,
  Pencil,
  QrCode,
  RefreshCw,
  Send,
  Share2,
  Trash2,
} from 'lucide-react'
import { errorTable } from '../../shared/contract/errors.ts'
import { isUsedUp, type LinkStatus } from '../../shared/rules/links/link-status.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { Button, IconButton, IconLink } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { MenuItem } from '../ui/menu-item.ts'
import { CopyLinkButton } from './copy-links.tsx'
import { type ListedLink, notSharedReason } from './listed-link.ts'
import { shareEmailUrl } from './share-email.ts'
import type { Sending } from './use-sending.ts'

export type LinkDialogName = 'renew' | 'edit' | 'qr' | 'send'

export interface LinkActionsProps {
  link: ListedLink
  status: LinkStatus
  tier: Tier
  /** The link as an absolute URL. */
  url: string
  /** The signature that the administrator has set for emails that share a link. */
  signature: string
  /** Whether the server can send the link by email. */
  sending: Sending
  onDelete: (link: ListedLink) => void
  /** Makes a received link public. */
  onShare: (link: ListedLink) => void
  /** Opens a dialog about the link. */
  onDialog: (name: LinkDialogName, link: ListedLink) => void
  /** Lets the user choose files to add to the link. */
  onAddFiles: (link: ListedLink) => void
  /** True if copying this link is the page's main action. */
  isPrimary?: boolean
}

function filesText({ files }: ListedLink, verbs: [one: string, many: string]): string {
  return files.length === 1 ? `This file ${verbs[0]}` : `These files ${verbs[1]}`
}

const haveExpired: [string, string] = ['has permanently expired', 'have permanently expired']
const wereTakenDown: [string, string] = ['was taken down', 'were taken down']

const usedUpReason = 'This link has no downloads left. Edit its limit to open it again.'

/** Says why a link can't be copied or emailed (spec §4). */
function cannotShareReason(link: ListedLink, status: LinkStatus): string | undefined {
  if (status === 'active' && !link.shared) return notSharedReason
  if (status === 'active') {
    return isUsedUp(link) ? usedUpReason : undefined
  }
  if (link.takenDownAt !== null) {
    return `${filesText(link, wereTakenDown)}, so there is no link to share.`
  }
  return status === 'private'
    ? 'This link has ended. Renew it to get a new one.'
    : `${filesText(link, ['has expired', 'have expired'])}, so there is no link to share.`
}

function cannotRenewReason(link: ListedLink, status: LinkStatus): string | undefined {
  if (link.files.every(({ state }) => state === 'uploading')) {
    return 'This link can be renewed once a file has been uploaded.'
  }
  if (status !== 'deleted') return isUsedUp(link) ? usedUpReason : undefined
  const verbs = link.takenDownAt === null ? haveExpired : wereTakenDown
  const owner = link.files.length === 1 ? 'its' : 'their'
  return `${filesText(link, verbs)}, so ${owner} link cannot be renewed.`
}

/**
 * Buttons for the actions that the tier includes. Unavailable actions stay visible and say why. For
 * a private link, Copy and Renew swap places, because renewing is the main action.
 */
export function LinkActions(props: LinkActionsProps) {
  const { link, status, tier, url, signature, sending, isPrimary = false } = props
  const { onDelete, onShare, onDialog, onAddFiles } = props
  const { name } = link
  const unavailableReason = cannotShareReason(link, status)
  const isPrivate = status === 'private'
  const canRenew = tierTraits[tier].renewal
  const sendItem: MenuItem | null = sending && {
    label: 'Send by email',
    icon: <Send />,
    unavailable: unavailableReason ?? sending.unavailable,
    onSelect: () => onDialog('send', link),
  }
  return (
    <div
      className={`flex items-center justify-end gap-1 max-sm:col-span-full max-sm:-mt-1 sm:col-start-3 sm:row-start-1 lg:col-start-auto lg:row-start-auto max-sm:[&_:is(a,button)]:min-h-11 max-sm:[&_:is(a,button)]:min-w-11 ${canRenew ? 'sm:w-[244px]' : 'sm:w-[208px]'}`}
    >
      <div className="flex-1">
        {isPrivate ? (
          <Button size="small" wide icon={<RefreshCw />} onClick={() => onDialog('renew', link)}>
            Renew
            <span className="sr-only">link of {name}</span>
          </Button>
        ) : link.shared || status !== 'active' ? (
          <CopyLinkButton
            url={url}
            name={name}
            unavailable={unavailableReason}
            variant={isPrimary && unavailableReason === undefined ? 'primary' : 'plain'}
          />
        ) : (
          <Button
            size="small"
            wide
            icon={<Share2 />}
            unavailable={
              link.state === 'uploading' ? errorTable.DELIVERY_UNFINISHED.message : undefined
            }
            onClick={() => onShare(link)}
          >
            Share
            <span className="sr-only">link of {name}</span>
          </Button>
        )}
      </div>
      <Menu
        label={`More for link of ${name}`}
        icon={<ChevronDown />}
        items={[
          ...(sendItem ? [sendItem] : []),
          {
            label: 'QR code',
            icon: <QrCode />,
            unavailable: unavailableReason,
            onSelect: () => onDialog('qr', link),
          },
          {
            label: 'Add files',
            icon: <FilePlus />,
            unavailable: unavailableReason,
            onSelect: () => onAddFiles(link),
          },
          { label: 'Edit link', icon: <Pencil />, onSelect: () => onDialog('edit', link) },
        ]}
      />
      {unavailableReason === undefined ? (
        <IconLink
          label={`Email link of ${name}`}
          icon={<Mail />}
          href={shareEmailUrl(link, url, signature)}
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
          unavailable={cannotRenewReason(link, status)}
          onClick={() => onDialog('renew', link)}
        />
      ) : null}
      <IconButton label={`Delete ${name}`} icon={<Trash2 />} onClick={() => onDelete(link)} />
    </div>
  )
}
