import { Avatar } from '@base-ui/react/avatar'
import type { User } from '../../shared/contract/account.ts'
import { initials } from './initials.ts'

/**
 * A person's picture, or the initials if there is none or it does not load. Screen readers ignore
 * it.
 */
export function UserAvatar({ user }: { user: User }) {
  return (
    <Avatar.Root
      aria-hidden="true"
      className="grid size-8 shrink-0 select-none place-items-center overflow-hidden rounded-full bg-tint font-[650] text-accent text-sm cramped:text-[13px]"
    >
      {user.profileImageUrl === null ? null : (
        <Avatar.Image
          src={user.profileImageUrl}
          alt=""
          referrerPolicy="no-referrer"
          className="size-full object-cover"
        />
      )}
      <Avatar.Fallback>{initials(user)}</Avatar.Fallback>
    </Avatar.Root>
  )
}
