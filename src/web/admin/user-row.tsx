import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { defaultTier, type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { call } from '../api/call.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { UserAvatar } from '../auth/user-avatar.tsx'
import { formatCount } from '../charts/format-count.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { confirm } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdmin, showAdminFailure } from './admin-queries.ts'
import { downgradeText, shownName, tierText } from './user-text.ts'

/** Grid columns shared by the rows and their header. */
export const userColumns =
  'sm:grid-cols-[minmax(0,1fr)_104px_64px_84px_154px] lg:grid-cols-[minmax(0,1fr)_140px_100px_120px_220px]'

export interface UserRowProps {
  user: ListedUser
  now: Date
  onDelete: () => void
}

/** A user in the administrator's list. On phones the row is a card. */
export function UserRow({ user, now, onDelete }: UserRowProps) {
  const client = useQueryClient()
  const { mutate: switchTier, isPending } = useMutation({
    mutationFn: (tier: Tier) => call('toggleUserTier', { params: { id: user.id }, body: { tier } }),
    onSuccess: ({ user }) => {
      client.setQueryData(currentUserQuery.queryKey, (known) =>
        known?.id === user.id ? user : known,
      )
      void refreshAdmin(client)
      toast({ title: `${shownName(user)} is ${tierTraits[user.tier].name} now` })
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to change user tier'),
  })
  const { hasBadge, upgradesTo } = tierTraits[user.tier]
  const other = upgradesTo ?? defaultTier
  const label = `Make ${tierTraits[other].name}`
  const press = async () => {
    const question = {
      title: `${label}: ${shownName(user)}`,
      description: downgradeText(user, now),
      confirmLabel: label,
    }
    if (upgradesTo !== null || (await confirm(question))) switchTier(other)
  }
  return (
    <li
      className={`grid grid-cols-2 items-center gap-x-4 gap-y-2.5 border-line border-t px-4 py-3 first:max-sm:border-t-0 sm:px-5 ${userColumns}`}
    >
      <div className="flex min-w-0 items-center gap-3 max-sm:col-span-2">
        <UserAvatar user={user} />
        <div className="min-w-0 flex-1">
          <p className="line-clamp-2 font-[540] wrap-anywhere" title={user.name}>
            {user.name.trim() || user.email}
            {user.isAdmin ? <span className="font-normal text-muted text-sm"> · you</span> : null}
          </p>
          <p className="line-clamp-2 text-muted text-sm wrap-anywhere" title={user.email}>
            {user.email}
          </p>
        </div>
        <div className="sm:hidden">
          <TierBadge user={user} now={now} filled={hasBadge} />
        </div>
      </div>
      <div className="hidden sm:block">
        <TierBadge user={user} now={now} filled={hasBadge} />
      </div>
      <Figure
        count={user.fileCount}
        one="file"
        many="files"
        more={`${formatSize(user.storedBytes)} stored`}
      />
      <Figure count={user.totalDownloads} one="download" many="downloads" />
      <div className="flex items-center justify-end gap-1 max-sm:col-span-2">
        <div className="grid max-sm:flex-1 sm:w-[116px]">
          <Button
            size="small"
            label={`${label}: ${shownName(user)}`}
            pending={isPending}
            onClick={() => void press()}
          >
            {label}
          </Button>
        </div>
        <IconButton
          label={`Delete ${shownName(user)}`}
          icon={<Trash2 />}
          onClick={onDelete}
          unavailable={user.isAdmin ? 'The administrator cannot be deleted.' : undefined}
        />
      </div>
    </li>
  )
}

function TierBadge({ user, now, filled }: Omit<UserRowProps, 'onDelete'> & { filled: boolean }) {
  return <Badge tone={filled ? 'accent' : 'outline'}>{tierText(user, now)}</Badge>
}

/** A number in a titled column. On phones and for screen readers, a noun follows the number. */
function Figure({
  count,
  one,
  many,
  more,
}: {
  count: number
  one: string
  many: string
  /** Text below the number. */
  more?: string
}) {
  return (
    <p className="tabular-nums last-of-type:text-right max-sm:text-sm sm:text-right">
      {formatCount(count)}
      <span className="text-muted sm:sr-only"> {count === 1 ? one : many}</span>
      {more ? <span className="block text-muted text-sm">{more}</span> : null}
    </p>
  )
}
