import { withNext } from '../../shared/rules/accounts/next-path.ts'
import { useSignInWays } from '../api/public-values.ts'
import { ButtonLink } from '../ui/button.tsx'
import { useNextPath } from './use-auth-state.ts'

/**
 * A button that starts Google sign-in (spec §2) and passes on the page to open afterwards. Renders
 * nothing if the server doesn't support Google sign-in.
 */
export function GoogleButton({ children }: { children: string }) {
  const next = useNextPath()
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
      <ButtonLink href={withNext('/api/login', next)} size="large" wide icon={<GoogleLogo />}>
        {children}
      </ButtonLink>
    </div>
  )
}

/** Google's colored G logo. Hidden from screen readers. */
export function GoogleLogo() {
  return (
    <svg viewBox="0 0 24 24" fill="none" strokeWidth="4.2" aria-hidden="true">
      <path stroke="#ea4335" d="M17.8 6.2A8.2 8.2 0 0 0 4.57 8.53" />
      <path stroke="#fbbc05" d="M4.57 8.53a8.2 8.2 0 0 0 0 6.94" />
      <path stroke="#34a853" d="M4.57 15.47A8.2 8.2 0 0 0 17.27 18.28" />
      <path stroke="#4285f4" d="M17.27 18.28A8.2 8.2 0 0 0 20.2 12H12" />
    </svg>
  )
}
