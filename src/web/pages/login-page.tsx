import { useRef } from 'react'
import { useSearchParams } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { parseSignInError, type SignInError } from '../../shared/rules/accounts/sign-in-error.ts'
import { useSignInWays } from '../api/public-values.ts'
import { ForgotPassword } from '../auth/forgot-password.tsx'
import { GoogleButton } from '../auth/google-button.tsx'
import { LoginForm } from '../auth/login-form.tsx'
import { NewAccountNote, readNewAccount } from '../auth/new-account-note.tsx'
import { SignInErrorNote } from '../auth/sign-in-error.tsx'
import { useNextPath } from '../auth/use-auth-state.ts'
import { useNoEmailNote } from '../auth/use-no-email-note.ts'
import { KeptFilesNotice } from '../uploads/kept/kept-files-card.tsx'
import { AuthPage } from './auth-page.tsx'
import { PageLink } from './page-link.tsx'
import { VisitorScreen } from './screen-guards.tsx'

/**
 * The login page (spec §2): email and password, a button for Google, and a link to the signup page.
 * A failed Google sign-in redirects here with the reason in the query parameter `fault`. Unknown
 * reasons are ignored so that the URL can't inject text.
 */
export function LoginPage() {
  const [search] = useSearchParams()
  const error = parseSignInError(search.get('fault'))
  // Signed-in users should see the reason too, but `VisitorScreen` would redirect them.
  if (error !== null) return <Login error={error} />
  return (
    <VisitorScreen>
      <Login />
    </VisitorScreen>
  )
}

function Login({ error }: { error?: SignInError }) {
  // The signup page passes the new account on so that the user doesn't have to enter the email
  // address again.
  const account = readNewAccount(useHistoryState())
  const next = useNextPath()
  const { signup } = useSignInWays()
  const noEmailNote = useNoEmailNote()
  const emailFieldRef = useRef<HTMLInputElement>(null)
  const renderSignupLink = (label: string) => (
    <PageLink to="/signup" next={next}>
      {label}
    </PageLink>
  )
  return (
    <AuthPage
      title="Sign in"
      lead={
        account ? (
          `${account.requiresVerification ? 'Two steps are' : 'One step is'} left.`
        ) : signup === 'closed' ? (
          'To get to your files and links.'
        ) : (
          // 'Get Started' on the landing page leads here even for visitors without an account.
          <>No account yet? {renderSignupLink('Sign up')}: it is free.</>
        )
      }
    >
      {error ? <SignInErrorNote error={error} /> : null}
      {account ? (
        <NewAccountNote
          account={account}
          noEmailNote={noEmailNote}
          signupLink={renderSignupLink('Sign up again')}
        />
      ) : null}
      <KeptFilesNotice />
      <LoginForm
        email={account?.email}
        next={next}
        noEmailNote={noEmailNote}
        emailField={emailFieldRef}
      />
      <div className="mt-3">
        <ForgotPassword
          noEmailNote={noEmailNote}
          getEmail={() => emailFieldRef.current?.value ?? ''}
        />
      </div>
      <GoogleButton>Sign in with Google</GoogleButton>
    </AuthPage>
  )
}
