import { Ban, ChevronDown, Inbox, Lock, Pencil, Plus, QrCode } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import type { FileRequest } from '../../shared/contract/requests.ts'
import { formatSizeLimit } from '../../shared/rules/format/file-size.ts'
import { formatCount } from '../../shared/rules/format/numbers.ts'
import { localTimestampText } from '../../shared/rules/format/timestamp-text.ts'
import { type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { useFeatures, useSendsMail } from '../api/public-values.ts'
import { serverNow } from '../api/server-clock.ts'
import { CopyLinkButton } from '../files/copy-links.tsx'
import { useChangePreferences, usePreferences } from '../files/manager/use-preferences.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { confirm } from '../ui/confirm.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Fact, FactLink, Facts } from '../ui/facts.tsx'
import { FileName } from '../ui/file-name.tsx'
import { Menu } from '../ui/menu.tsx'
import { flattenPages, PagedList } from '../ui/paged-list.tsx'
import { Switch } from '../ui/switch.tsx'
import { RequestDialog } from './request-dialog.tsx'
import { useCloseRequest, useRequests } from './use-requests.ts'

const QrDialog = lazy(async () => ({ default: (await import('../files/qr-dialog.tsx')).QrDialog }))

const headingId = 'requests-heading'

export interface RequestListProps {
  tier: Tier
  /** Renders what a request has received, which expands under its row. */
  received: (request: FileRequest) => ReactNode
}

/** The user's requests, open and closed, with what they have received. */
export function RequestList({ tier, received }: RequestListProps) {
  const query = useRequests()
  const { requests: setting } = useFeatures()
  const close = useCloseRequest()
  const [dialog, setDialog] = useState<RequestDialogState | null>(null)
  const requests = query.data ? flattenPages(query.data) : []
  const openCount = requests.filter(({ state }) => state === 'open').length
  const unavailable = cannotCreateReason({ tier, setting, openCount })
  const confirmAndClose = async (request: FileRequest) => {
    const isConfirmed = await confirm({
      title: `Close ${request.title}?`,
      description:
        'Nobody can send files to it any more, and it cannot be opened again. What has arrived stays, and uploads under way may finish for an hour.',
      confirmLabel: 'Close request',
      focusAfter: () => document.getElementById(headingId),
    })
    if (isConfirmed) close(request)
  }
  const isEmpty = requests.length === 0
  const createButton = (
    <Button
      variant={unavailable === undefined ? 'primary' : 'plain'}
      icon={<Plus />}
      unavailable={unavailable}
      onClick={() => setDialog({ name: 'edit', request: null })}
    >
      New request
    </Button>
  )
  return (
    <section aria-labelledby={headingId}>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <h2 id={headingId} tabIndex={-1} className="text-lg outline-none">
          Requests
        </h2>
        {isEmpty ? null : createButton}
      </div>
      <PagedList
        query={query}
        noun="requests"
        label="Requests"
        empty={
          <EmptyState icon={<Inbox />} title="No requests yet" action={createButton}>
            A request is a link through which anyone can send you files, without an account.
          </EmptyState>
        }
        row={(request) => (
          <RequestRow
            key={request.id}
            request={request}
            received={received}
            onDialog={setDialog}
            onClose={() => void confirmAndClose(request)}
          />
        )}
      />
      {isEmpty ? null : <DeliveryEmails />}
      {dialog?.name === 'edit' ? (
        <RequestDialog request={dialog.request} onClosed={() => setDialog(null)} />
      ) : null}
      {dialog?.name === 'qr' ? (
        <Suspense fallback={null}>
          <QrDialog url={dialog.request.url} onClosed={() => setDialog(null)} />
        </Suspense>
      ) : null}
    </section>
  )
}

type RequestDialogState =
  | { name: 'edit'; request: FileRequest | null }
  | { name: 'qr'; request: FileRequest }

interface CreationState {
  tier: Tier
  setting: 'on' | 'premium' | 'off'
  openCount: number
}

/** Says why the user can't create a request. Undefined if nothing prevents it. */
export function cannotCreateReason({ tier, setting, openCount }: CreationState) {
  const { name, maxOpenRequests } = tierTraits[tier]
  if (setting === 'off') return 'Requests are turned off on this server.'
  if (setting === 'premium' && tier === 'free') return `Requests need ${tierTraits.premium.name}.`
  if (maxOpenRequests === null || openCount < maxOpenRequests) return undefined
  return `${name} has ${formatCount(maxOpenRequests, 'open request')} at a time. Close it first.`
}

/** Turns the emails about new files, and the reminders, on or off. */
function DeliveryEmails() {
  const { data: preferences } = usePreferences()
  const changePreferences = useChangePreferences()
  const sendsMail = useSendsMail()
  const hintId = useId()
  if (!preferences || !sendsMail) return null
  return (
    <div className="mt-4 w-fit">
      <Switch
        label="Email me about requests"
        describedBy={hintId}
        checked={preferences.mailOnDelivery}
        onCheckedChange={(mailOnDelivery) => changePreferences({ mailOnDelivery })}
      />
      <p id={hintId} className="mt-1 text-muted text-sm">
        When files arrive, and a day before a request closes that has received none.
      </p>
    </div>
  )
}

interface RequestRowProps {
  request: FileRequest
  received: (request: FileRequest) => ReactNode
  onDialog: (dialog: RequestDialogState) => void
  onClose: () => void
}

function RequestRow({ request, received, onDialog, onClose }: RequestRowProps) {
  const { title, url, code, state, hasPassword, receivedCount } = request
  const [isExpanded, setExpanded] = useState(false)
  const receivedId = useId()
  const isOpen = state === 'open'
  return (
    <li className="border-line border-t first:border-t-0">
      <div className="grid grid-cols-[36px_minmax(0,1fr)] items-center gap-x-3 gap-y-3 px-4 py-3.5 sm:grid-cols-[36px_minmax(0,1fr)_auto] sm:gap-x-4 sm:px-5">
        <span className="grid size-9 place-items-center rounded-[9px] bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] text-muted">
          <Inbox size={18} strokeWidth={1.6} aria-hidden="true" />
        </span>
        <div className="min-w-0">
          <h3
            className={`font-[540] text-base leading-normal tracking-normal ${isOpen ? '' : 'text-muted'}`}
          >
            <FileName name={title} />
          </h3>
          <Facts>
            <span className="mr-1">
              <Badge tone={isOpen ? 'accent' : 'outline'}>{isOpen ? 'Open' : 'Closed'}</Badge>
            </span>
            {isOpen ? (
              <Fact>
                <FactLink href={url}>/r/{code}</FactLink>
              </Fact>
            ) : null}
            {requestFacts(request, serverNow()).map((fact) => (
              <Fact key={fact}>{fact}</Fact>
            ))}
            {hasPassword ? (
              <Fact>
                <Lock aria-hidden="true" className="mr-1 mb-0.5 inline size-3.5" />
                Password
              </Fact>
            ) : null}
          </Facts>
        </div>
        <div className="flex items-center justify-end gap-1 max-sm:col-span-full">
          <div>
            <Button
              size="small"
              variant="quiet"
              icon={<ChevronDown className={isExpanded ? 'rotate-180' : ''} />}
              label={`${receivedCount} received by ${title}`}
              expands={{ id: receivedId, isOpen: isExpanded }}
              onClick={() => setExpanded(!isExpanded)}
            >
              {receivedCount.toLocaleString('en')} received
            </Button>
          </div>
          {isOpen ? (
            <>
              <div className="max-sm:flex-1 sm:w-24">
                <CopyLinkButton url={url} name={title} />
              </div>
              <Menu
                label={`More for ${title}`}
                icon={<ChevronDown />}
                items={[
                  {
                    label: 'QR code',
                    icon: <QrCode />,
                    onSelect: () => onDialog({ name: 'qr', request }),
                  },
                  {
                    label: 'Edit request',
                    icon: <Pencil />,
                    onSelect: () => onDialog({ name: 'edit', request }),
                  },
                  { label: 'Close request', icon: <Ban />, onSelect: onClose },
                ]}
              />
            </>
          ) : null}
        </div>
      </div>
      {isExpanded ? (
        <section
          id={receivedId}
          aria-label={`Received by ${title}`}
          className="border-line border-t bg-paper p-3 sm:p-4"
        >
          {received(request)}
        </section>
      ) : null}
    </li>
  )
}

function requestFacts(request: FileRequest, now: Date): string[] {
  const { state, closesAt, closedAt, maxLinks, maxFileSize } = request
  const end = localTimestampText(new Date(closedAt ?? closesAt), now)
  return [
    state === 'open' ? `until ${end}` : end,
    ...(maxLinks === null ? [] : [`at most ${formatCount(maxLinks, 'delivery', 'deliveries')}`]),
    ...(maxFileSize === null ? [] : [`files up to ${formatSizeLimit(maxFileSize)}`]),
  ]
}
