import type { File as StoredFile } from '../../shared/contract/files.ts'
import { localMomentText } from '../../shared/rules/format/moment-text.ts'
import { useSupportEmail } from '../api/use-support-email.ts'

/** What the owner reads about a file that was taken down. */
export interface TakedownNote {
  at: Date
  reason: string
}

/** Returns when and why a file was taken down. Returns null if it was not taken down. */
export function takedownOf({ takenDownAt, takedownReason }: StoredFile): TakedownNote | null {
  return takenDownAt === null ? null : { at: new Date(takenDownAt), reason: takedownReason ?? '' }
}

interface TakedownReasonProps {
  id: string
  takedown: TakedownNote
  now: Date
}

/** Says when and why a file was taken down, and whom the owner can write to. */
export function TakedownReason({ id, takedown, now }: TakedownReasonProps) {
  const supportEmail = useSupportEmail()
  return (
    <div id={id} className="mt-1 max-w-[68ch] text-sm wrap-anywhere">
      <p className="whitespace-pre-line" dir="auto">
        {takedown.reason}
      </p>
      <p className="mt-1 text-muted">
        Taken down{' '}
        <time dateTime={takedown.at.toISOString()} className="tabular-nums">
          {localMomentText(takedown.at, now)}
        </time>
        .{supportEmail ? ` If this is a mistake, write to ${supportEmail}.` : ''}
        {supportEmail === null ? (
          <>
            {' '}
            If this is a mistake,{' '}
            <a href="/feedback" className="underline underline-offset-3 hover:decoration-2">
              write to the operator
            </a>
            .
          </>
        ) : null}
      </p>
    </div>
  )
}
