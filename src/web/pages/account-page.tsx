import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { User } from '../../shared/contract/account.ts'
import { accountDeletedPath } from '../../shared/pages.ts'
import { maxIdleDays, maxSessionDays } from '../../shared/rules/accounts/session-lifetime.ts'
import { useSendsMail, useSupportEmail } from '../api/public-values.ts'
import { AccountUsage } from '../auth/account/account-usage.tsx'
import { DeleteAccount } from '../auth/account/delete-account.tsx'
import { KeyList } from '../auth/account/key-list.tsx'
import { NameForm } from '../auth/account/name-form.tsx'
import { PasswordSection } from '../auth/account/password-section.tsx'
import { SessionList } from '../auth/account/session-list.tsx'
import { SignInWays, useGoogleLinkToast } from '../auth/account/sign-in-ways.tsx'
import { BrandingSection } from '../branding/branding-section.tsx'
import { DeletionReceipts } from '../files/deletion-receipts.tsx'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { removeUploads } from '../uploads/use-uploads.ts'
import { Page } from './page.tsx'
import { SignedInScreen } from './screen-guards.tsx'
import { Wrap } from './wrap.tsx'

/** The signed-in user's account page (spec §2). */
export function AccountPage() {
  return <SignedInScreen>{(user) => <Account user={user} />}</SignedInScreen>
}

function Account({ user }: { user: User }) {
  const supportEmail = useSupportEmail()
  const sendsMail = useSendsMail()
  const client = useQueryClient()
  useGoogleLinkToast()
  const leave = async () => {
    // The account is gone, even if its uploads can't be removed from this browser.
    await removeUploads(client).catch(() => undefined)
    window.location.assign(accountDeletedPath)
  }
  return (
    <Page title="Account">
      <Wrap className="grid grid-cols-1 gap-10 pt-7 pb-16 sm:gap-12">
        <h1 className="text-2xl">Account</h1>
        <DescribedSection
          id="name"
          title="Name"
          lead={`Shown on the dashboard${sendsMail ? ' and, once your address is verified, in emails' : ''}.`}
        >
          <Card className="grid gap-6 p-5 sm:p-6">
            <NameForm user={user} />
            <EmailAddress user={user} supportEmail={supportEmail} />
          </Card>
        </DescribedSection>
        <DescribedSection
          id="password"
          title="Password"
          lead={`A change signs out every other browser, and links in earlier emails stop working.${sendsMail ? ' You get an email about it.' : ''}`}
        >
          <PasswordSection email={user.email} />
        </DescribedSection>
        <DescribedSection id="ways" title="Ways to sign in" lead="The last one cannot be removed.">
          <SignInWays email={user.email} />
        </DescribedSection>
        <DescribedSection
          id="sessions"
          title="Sessions"
          lead={`Where you are signed in. A session ends after ${maxIdleDays} days without use, and after ${maxSessionDays} days at the latest.`}
        >
          <SessionList />
        </DescribedSection>
        <DescribedSection
          id="keys"
          title="API keys"
          lead={
            <>
              For programs and scripts. A key keeps working after you change your password. The{' '}
              <a
                className="font-[560] text-accent underline underline-offset-3 hover:decoration-2"
                href="/api/docs"
              >
                API reference
              </a>{' '}
              has examples.
            </>
          }
        >
          <KeyList />
        </DescribedSection>
        <DescribedSection
          id="branding"
          title="Branding"
          lead="Shown on your download pages and their previews instead of the Mayfly logo. The pages still say that Mayfly delivers them."
        >
          <BrandingSection tier={user.tier} />
        </DescribedSection>
        <DescribedSection
          id="storage"
          title="Tier and storage"
          lead="Your tier, and how much this account stores."
        >
          <AccountUsage user={user} />
          <DeletionReceipts />
        </DescribedSection>
        {user.isAdmin ? null : (
          <DescribedSection
            id="deletion"
            title="Delete account"
            lead="With all files and links, immediately and permanently."
          >
            <Card className="p-5 sm:p-6">
              <DeleteAccount user={user} onDeleted={leave} />
            </Card>
          </DescribedSection>
        )}
      </Wrap>
    </Page>
  )
}

interface SupportProps {
  user: User
  /** The support email address. Null if there is none, undefined until known. */
  supportEmail: string | null | undefined
}

function EmailAddress({ user, supportEmail }: SupportProps) {
  return (
    <div className="border-line border-t pt-5">
      <h3 className="font-[560] text-sm leading-normal tracking-normal">Email</h3>
      <p className="mt-1 flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className="min-w-0 wrap-anywhere">{user.email}</span>
        {user.emailVerified ? <Badge>Verified</Badge> : null}
      </p>
      {supportEmail === undefined || user.isAdmin ? null : (
        <p className="mt-1 text-muted text-sm wrap-anywhere">
          To change it,{' '}
          {supportEmail === null ? 'ask the operator of this server' : `write to ${supportEmail}`}.
        </p>
      )}
    </div>
  )
}

export interface DescribedSectionProps {
  /** The heading's id. The heading receives focus when the focused element is removed. */
  id: string
  title: string
  /** One or two sentences about the section's purpose. */
  lead: ReactNode
  children: ReactNode
}

/**
 * A section on a settings page. Its title and purpose are to the left of its cards, or above them
 * on phones.
 */
function DescribedSection({ id, title, lead, children }: DescribedSectionProps) {
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-12 gap-y-4 md:grid-cols-[minmax(0,300px)_minmax(0,1fr)]"
    >
      <div className="pt-1.5">
        <h2 id={id} tabIndex={-1} className="text-lg outline-none">
          {title}
        </h2>
        <p className="mt-1.5 max-w-[44ch] text-muted text-sm">{lead}</p>
      </div>
      <div className="grid min-w-0 gap-4">{children}</div>
    </section>
  )
}
