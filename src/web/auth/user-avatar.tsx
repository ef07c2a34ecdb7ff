import { useState } from 'react'
import type { User } from '../../shared/contract/account.ts'

/**
 * A user's picture, or initials if there is none or it fails to load. Hidden from screen readers.
 */
export function UserAvatar({ user }: { user: User }) {
  const url = user.profileImageUrl
  const [failedUrl, setFailedUrl] = useState<string | null>(null)
  return (
    <span
      aria-hidden="true"
      className="grid size-8 shrink-0 select-none place-items-center overflow-hidden rounded-full bg-tint font-[650] text-accent text-sm cramped:text-[13px]"
    >
      {url === null || url === failedUrl ? (
        initials(user)
      ) : (
        <img
          src={url}
          alt=""
          referrerPolicy="no-referrer"
          onError={() => setFailedUrl(url)}
          className="size-full object-cover"
        />
      )}
    </span>
  )
}

function firstLetter(word: string): string {
  const [firstGrapheme] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)
  return firstGrapheme?.segment.toUpperCase() ?? ''
}

/**
 * Returns one or two letters for a user without a picture, taken from the first and last name or
 * else from the email address. Never splits grapheme clusters such as accented letters and flags.
 */
export function initials(user: { name: string; email: string }): string {
  const words = user.name.trim().split(/\s+/u).filter(Boolean)
  const initialWords = words.length > 1 ? [words[0], words.at(-1)] : words.slice(0, 1)
  return (
    initialWords.map((word) => firstLetter(word ?? '')).join('') || firstLetter(user.email) || '?'
  )
}
