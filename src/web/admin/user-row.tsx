import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { defaultTier, type Tier, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { call } from '../api/call.ts'
import { currentUserQuery } from '../api/use-current-user.ts'
import { UserAvatar } from '../auth/user-avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { confirm } from '../ui/confirm.tsx'
import { toast } from '../ui/toast.tsx'
import { refreshAdminData, showAdminFailure } from './admin-queries.ts'
import { displayName, downgradeText, tierText } from './user-text.ts'

/** Grid columns shared by the rows and their header. */
export const userColumns =
  'sm:grid-cols-[minmax(0,1fr)_104px_64px_84px_154px] lg:grid-cols-[minmax(0,1fr)_140px_100px_120px_220px]'

export interface UserRowProps {
  user: ListedUser
  now: Date
  onDelete: () => void
}

/** A row in the administrator's list of users. Shown as a card on phones. */
export function UserRow({ user, now, onDelete }: UserRowProps) {
  const client = useQueryClient()
  const { mutate: switchTier, isPending } = useMutation({
    mutationFn: (tier: Tier) =>
      call('POST /api/admin/toggle-user-tier/{id}', { params: { id: user.id }, body: { tier } }),
    onSuccess: ({ user }) => {
      client.setQueryData(currentUserQuery.queryKey, (cachedUser) =>
        cachedUser?.id === user.id ? user : cachedUser,
      )
      void refreshAdminData(client)
      toast({ title: `${displayName(user)} is ${tierTraits[user.tier].name} now` })
    },
    onError: (error) => showAdminFailure(client, error, 'Failed to change user tier'),
  })
  const { upgradesTo } = tierTraits[user.tier]
  const newTier = upgradesTo ?? defaultTier
  const label = `Make ${tierTraits[newTier].name}`
  const confirmAndSwitch = async () => {
    const confirmOptions = {
      title: `${label}: ${displayName(user)}`,
      description: downgradeText(user, now),
      confirmLabel: label,
    }
    if (upgradesTo !== null || (await confirm(confirmOptions))) switchTier(newTier)
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
          <TierBadge user={user} now={now} />
        </div>
      </div>
      <div className="hidden sm:block">
        <TierBadge user={user} now={now} />
      </div>
      <Figure
        count={user.fileCount}
        noun="file"
        detail={`${formatSize(user.storedBytes)} stored`}
      />
      <Figure count={user.totalDownloads} noun="download" />
      <div className="flex items-center justify-end gap-1 max-sm:col-span-2">
        <div className="grid max-sm:flex-1 sm:w-[116px]">
          <Button
            size="small"
            label={`${label}: ${displayName(user)}`}
            pending={isPending}
            onClick={() => void confirmAndSwitch()}
          >
            {label}
          </Button>
        </div>
        <IconButton
          label={`Delete ${displayName(user)}`}
          icon={<Trash2 />}
          onClick={onDelete}
          unavailable={user.isAdmin ? 'The administrator cannot be deleted.' : undefined}
        />
      </div>
    </li>
  )
}

function TierBadge({ user, now }: Omit<UserRowProps, 'onDelete'>) {
  const tone = tierTraits[user.tier].hasBadge ? 'accent' : 'outline'
  return <Badge tone={tone}>{tierText(user, now)}</Badge>
}

/**
 * A number in the user list. On phones, where columns have no headers, and for screen readers, a
 * noun follows the number.
 */
function Figure({ count, noun, detail }: { count: number; noun: string; detail?: string }) {
  return (
    <p className="tabular-nums last-of-type:text-right max-sm:text-sm sm:text-right">
      {groupDigits(count)}
      <span className="text-muted sm:sr-only"> {count === 1 ? noun : `${noun}s`}</span>
      {detail ? <span className="block text-muted text-sm">{detail}</span> : null}
    </p>
  )
}
