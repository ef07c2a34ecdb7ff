import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import type { LinkFile } from '../../shared/contract/links.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useEmailSignature } from '../api/public-values.ts'
import { Card } from '../ui/card.tsx'
import { confirm } from '../ui/confirm.tsx'
import { LoadingRow } from '../ui/skeleton.tsx'
import { useAddFiles } from '../uploads/add-files.ts'
import { useDelete, useShareLink } from './change-links.ts'
import { filesHeadingId } from './files-heading.tsx'
import type { LinkDialogName } from './link-actions.tsx'
import { rowId } from './link-dates.ts'
import { LinkFiles } from './link-files.tsx'
import { LinkRow, type RowPanel } from './link-row.tsx'
import type { ListedLink } from './listed-link.ts'
import { useSending } from './use-sending.ts'

const VirtualList = lazy(async () => ({
  default: (await import('./virtual-list.tsx')).VirtualList<ListedLink>,
}))
const LinkReceipt = lazy(async () => ({
  default: (await import('./link-receipt.tsx')).LinkReceipt,
}))
const RenewDialog = lazy(async () => ({
  default: (await import('./renew-dialog.tsx')).RenewDialog,
}))
const EditDialog = lazy(async () => ({ default: (await import('./edit-dialog.tsx')).EditDialog }))
const SendDialog = lazy(async () => ({ default: (await import('./send-dialog.tsx')).SendDialog }))
const QrDialog = lazy(async () => ({ default: (await import('./qr-dialog.tsx')).QrDialog }))

/** Lists with more rows than this render only the rows in view. */
const maxPlainRows = 100

export interface LinkListProps {
  /** The list's accessible name, such as 'My Files'. */
  label: string
  links: readonly ListedLink[]
  tier: Tier
  now: Date
  /** A lower bound for the full list's length, if `links` is only part of it. */
  total?: number | undefined
  /** True if the list may be longer than `total`. */
  isOpenEnded?: boolean
  /** Wraps a row, for example to add a checkbox. */
  wrapRow?: ((link: ListedLink, row: ReactNode) => ReactNode) | undefined
  /** Called when the deletion of a link starts. */
  onDelete?: ((link: ListedLink) => void) | undefined
  /**
   * Renders a link's statistics and receipt, which expand under its row when the download count is
   * clicked. If omitted, only the receipt is shown.
   */
  statistics?: ((link: ListedLink, receipt: ReactNode) => ReactNode) | undefined
  /**
   * The ids of links marked as new. If there is only one, copying it is the page's main action.
   */
  newIds?: ReadonlySet<string>
  /** Content above the first row. */
  head?: ReactNode
  /** Called when scrolling gets near the end of the loaded rows. */
  onNearEnd?: () => void
}

const noIds: ReadonlySet<string> = new Set()

/**
 * A list of links with their files and actions. Most actions open a dialog first. After a deletion,
 * focus moves to a neighboring row or the heading.
 */
export function LinkList({
  label,
  links,
  tier,
  now,
  wrapRow = (_, row) => row,
  head,
  onDelete,
  statistics,
  newIds = noIds,
  ...paging
}: LinkListProps) {
  const deleteItem = useDelete()
  const share = useShareLink()
  const addFiles = useAddFiles()
  const signature = useEmailSignature()
  const sending = useSending(tier)
  const [dialog, setDialog] = useState<{ name: LinkDialogName; link: ListedLink } | null>(null)
  const [open, setOpen] = useState<{ linkId: string; panel: RowPanel } | null>(null)
  const panelId = useId()
  const toggle = ({ id }: ListedLink, panel: RowPanel) =>
    setOpen(open?.linkId === id && open.panel === panel ? null : { linkId: id, panel })
  const renderDetails = (link: ListedLink) => {
    const { renewal } = tierTraits[tier]
    const receipt = <LinkReceipt link={link} canRenew={renewal} now={now} />
    return (
      <section
        id={panelId}
        aria-label={`${statistics ? 'Statistics' : 'Receipt'} of ${link.name}`}
        className="border-line border-t bg-paper p-4 sm:p-5 lg:pl-[72px]"
      >
        <Suspense fallback={null}>
          {statistics ? statistics(link, receipt) : <div className="max-w-md">{receipt}</div>}
        </Suspense>
      </section>
    )
  }
  const confirmAndDelete = async (link: ListedLink, file?: LinkFile) => {
    const rows = file ? link.files : links
    const { id, name } = file ?? link
    const index = rows.findIndex((row) => row.id === id)
    const neighbor = rows[index + 1] ?? rows[index - 1]
    const isConfirmed = await confirm({
      title: `Delete ${name}?`,
      description: `${deletionText(link, file)} This action cannot be undone.`,
      confirmLabel: 'Delete',
      focusAfter: () => document.getElementById(neighbor ? rowId(neighbor) : filesHeadingId),
    })
    if (!isConfirmed) return
    deleteItem(file ? { link, file } : { link })
    if (!file) onDelete?.(link)
  }
  const confirmAndShare = async (link: ListedLink) => {
    const isConfirmed = await confirm({
      title: `Share ${link.name}?`,
      description:
        'Anyone who has the link can then see and download what you received. This action cannot be undone.',
      confirmLabel: 'Share',
      confirmVariant: 'primary',
    })
    if (isConfirmed) share(link)
  }
  const getNewMark = ({ id }: ListedLink) => {
    if (!newIds.has(id)) return undefined
    return newIds.size === 1 ? 'alone' : 'with-others'
  }
  const renderRow = (link: ListedLink) => {
    const panel = open?.linkId === link.id ? open.panel : undefined
    return (
      <>
        {wrapRow(
          link,
          <LinkRow
            link={link}
            tier={tier}
            now={now}
            signature={signature}
            sending={sending}
            onDelete={(link) => void confirmAndDelete(link)}
            onShare={(link) => void confirmAndShare(link)}
            onDialog={(name, link) => setDialog({ name, link })}
            onAddFiles={({ shortCode }) => void addFiles(shortCode)}
            onToggle={(panel) => toggle(link, panel)}
            openPanel={panel && { panel, id: panelId }}
            hasStatistics={statistics !== undefined}
            newMark={getNewMark(link)}
          />,
        )}
        {panel === 'details' ? renderDetails(link) : null}
        {panel === 'files' && link.files.length > 1 ? (
          <LinkFiles
            id={panelId}
            link={link}
            onDelete={(file) => void confirmAndDelete(link, file)}
          />
        ) : null}
      </>
    )
  }
  const closeDialog = () => setDialog(null)

  return (
    <Card className="overflow-clip">
      {head}
      {paging.total !== undefined || links.length > maxPlainRows ? (
        <Suspense fallback={<LoadingRow />}>
          <VirtualList
            label={label}
            items={links}
            itemId={rowId}
            row={renderRow}
            placeholder={<LoadingRow />}
            {...paging}
          />
        </Suspense>
      ) : (
        <ul aria-label={label}>
          {links.map((link) => (
            <li
              key={link.id}
              id={rowId(link)}
              className={`border-line border-t transition-colors duration-200 first:border-t-0 ${newIds.has(link.id) ? 'bg-tint' : ''}`}
            >
              {renderRow(link)}
            </li>
          ))}
        </ul>
      )}
      <Suspense fallback={null}>
        {dialog?.name === 'renew' ? (
          <RenewDialog
            link={dialog.link}
            tier={tier}
            onClosed={closeDialog}
            now={now}
            signature={signature}
          />
        ) : null}
        {dialog?.name === 'edit' ? <EditDialog link={dialog.link} onClosed={closeDialog} /> : null}
        {dialog?.name === 'send' ? <SendDialog link={dialog.link} onClosed={closeDialog} /> : null}
        {dialog?.name === 'qr' ? (
          <QrDialog
            url={`${window.location.origin}/s/${dialog.link.shortCode}`}
            onClosed={closeDialog}
          />
        ) : null}
      </Suspense>
    </Card>
  )
}

/** Says what the deletion of a link, or of one of its files, does. */
function deletionText({ files }: ListedLink, file: LinkFile | undefined): string {
  if (file) return 'It is removed from the link, which keeps its other files.'
  return files.length === 1
    ? 'Its link stops working at once and the file is removed.'
    : `The link stops working at once and its ${formatCount(files.length, 'file')} are removed.`
}
