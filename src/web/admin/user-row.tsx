import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ListedUser } from '../../shared/contract/admin.ts'
import { formatSize } from '../../shared/rules/format/file-size.ts'
import { defaultTier } from '../../shared/rules/tiers/tier.ts'
import { tierTraits } from '../../shared/rules/tiers/tier-traits.ts'
import { UserAvatar } from '../auth/user-avatar.tsx'
import { formatCount } from '../charts/format-count.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { useSwitchTier } from './use-users.ts'
import { downgradeText, shownName, tierText } from './user-text.ts'

/** The grid columns of each row and of the titles above the rows. */
export const userColumns =
  'sm:grid-cols-[minmax(0,1fr)_104px_64px_84px_154px] lg:grid-cols-[minmax(0,1fr)_140px_100px_120px_220px]'

export interface UserRowProps {
  user: ListedUser
  now: Date
  onDelete: () => void
}

/** A user in the administrator's list. On phones the row is a card. */
export function UserRow({ user, now, onDelete }: UserRowProps) {
  const { mutate: switchTier, isPending } = useSwitchTier(user)
  const { hasBadge, upgradesTo } = tierTraits[user.tier]
  const other = upgradesTo ?? defaultTier
  const [isAsking, setAsking] = useState(false)
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
            label={`Make ${tierTraits[other].name}: ${shownName(user)}`}
            pending={isPending}
            onClick={() => (upgradesTo === null ? setAsking(true) : switchTier(other))}
          >
            Make {tierTraits[other].name}
          </Button>
        </div>
        <IconButton
          label={`Delete ${shownName(user)}`}
          icon={<Trash2 />}
          onClick={onDelete}
          unavailable={user.isAdmin ? 'The administrator cannot be deleted.' : undefined}
        />
      </div>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={`Make ${tierTraits[defaultTier].name}: ${shownName(user)}`}
        description={downgradeText(user, now)}
        confirmLabel={`Make ${tierTraits[defaultTier].name}`}
        onConfirm={() => {
          setAsking(false)
          switchTier(defaultTier)
        }}
      />
    </li>
  )
}

function TierBadge({ user, now, filled }: Omit<UserRowProps, 'onDelete'> & { filled: boolean }) {
  return <Badge tone={filled ? 'accent' : 'outline'}>{tierText(user, now)}</Badge>
}

/**
 * A number in a column with a title. On phones and for screen readers, the noun follows the number.
 */
function Figure({
  count,
  one,
  many,
  more,
}: {
  count: number
  one: string
  many: string
  /** Stands below the number. */
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
