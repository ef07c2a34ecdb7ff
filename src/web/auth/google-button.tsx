import { withNext } from '../../shared/rules/accounts/next-path.ts'
import { useSignInWays } from '../api/public-values.ts'
import { ButtonLink } from '../ui/button.tsx'
import { GoogleMark } from './google-mark.tsx'
import { useNext } from './use-next.ts'

/**
 * A button that navigates to /api/login, as an alternative to the form above it (spec §2). It
 * passes on the page that the person wanted. Shows nothing if the server does not offer Google.
 */
export function GoogleButton({ children }: { children: string }) {
  const next = useNext()
  const { google } = useSignInWays()
  if (!google) return null
  return (
    <div className="mt-5">
      <p
        aria-hidden="true"
        className="mb-5 flex items-center gap-3 text-muted text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line"
      >
        or
      </p>
      <ButtonLink href={withNext('/api/login', next)} size="large" wide icon={<GoogleMark />}>
        {children}
      </ButtonLink>
    </div>
  )
}
