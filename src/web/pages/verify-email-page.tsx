import { useUrlToken } from '../auth/url-token.ts'
import { useEmailVerification } from '../auth/use-email-verification.ts'
import { Button } from '../ui/button.tsx'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { AuthPage } from './auth-page.tsx'
import { PageButton, PageLink } from './page-link.tsx'

/**
 * The page that the verification link opens (spec §2): reads the token from the URL and shows
 * whether verification is loading, succeeded or failed. If the user signed up in another browser,
 * waits for a click. The token is removed from the URL immediately but kept in the history state so
 * that a reload verifies again instead of failing.
 */
export function VerifyEmailPage() {
  const [token] = useUrlToken()
  const verification = useEmailVerification(token)

  const homeLink = <PageLink to="/">Back to home</PageLink>
  if (verification.state === 'loading') {
    return (
      <AuthPage title="Verifying your email" lead="This takes a moment." footer={homeLink}>
        <Loading label="Verifying your email">
          <Skeleton className="h-[52px] w-full" />
        </Loading>
      </AuthPage>
    )
  }
  if (verification.state === 'unconfirmed') {
    return (
      <AuthPage
        title="Verify your email"
        lead="If you signed up, verify your address now. If you did not, close this page."
        footer={homeLink}
      >
        <Button variant="primary" size="large" wide onClick={verification.confirm}>
          Verify my address
        </Button>
      </AuthPage>
    )
  }
  if (verification.state === 'verified') {
    return (
      <AuthPage
        title="Email verified"
        lead="Your account is ready. Sign in with your address and your password."
        footer={homeLink}
      >
        <PageButton to="/login" variant="primary" size="large" wide>
          Go to Login
        </PageButton>
      </AuthPage>
    )
  }
  const { reason, retry } = verification
  return (
    <AuthPage title="Verification failed" lead={reason} footer={homeLink}>
      <div className="grid gap-3">
        {retry ? (
          <Button variant="primary" size="large" wide onClick={retry}>
            Try again
          </Button>
        ) : null}
        <PageButton to="/signup" variant={retry ? 'plain' : 'primary'} size="large" wide>
          Create New Account
        </PageButton>
        <PageButton to="/login" size="large" wide>
          Back to Login
        </PageButton>
      </div>
    </AuthPage>
  )
}
