import { ArrowLeft } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { Loading, Skeleton } from '../ui/skeleton.tsx'
import { Page } from './page.tsx'
import { PageButton } from './page-link.tsx'
import { SignedInScreen } from './screen-guards.tsx'
import { Wrap } from './wrap.tsx'

/** Loaded on demand, because only the administrator needs this code. */
const AdminCenter = lazy(async () => ({
  default: (await import('../admin/admin-center.tsx')).AdminCenter,
}))

/**
 * The page at /admin (spec §2): the Admin Center for the administrator, or a short notice for other
 * users. This check is not access control, because the server authorizes every admin call.
 */
export function AdminPage() {
  return (
    <SignedInScreen visitor={<AccessDenied />}>
      {({ isAdmin }) => (isAdmin ? <AdminContent /> : <AdminAccessRequired />)}
    </SignedInScreen>
  )
}

function AdminContent() {
  return (
    <Page title="Admin Center">
      <Wrap className="pt-7 pb-16">
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
          <h1 className="text-2xl">Admin Center</h1>
          <PageButton to="/" size="small" icon={<ArrowLeft />}>
            Back to Dashboard
          </PageButton>
        </div>
        <Suspense fallback={<AdminContentLoading />}>
          <AdminCenter />
        </Suspense>
      </Wrap>
    </Page>
  )
}

function AdminContentLoading() {
  return (
    // At least as high as the window, so that the footer doesn't appear and move away.
    <div className="min-h-dvh">
      <Loading label="Loading the Admin Center">
        <Skeleton className="mt-7 h-5 w-80 max-w-full" />
        <div className="appear-late mt-8 h-24 rounded-card border border-line bg-surface" />
      </Loading>
    </div>
  )
}

function AccessDenied() {
  return (
    <AccessError
      title="Access Denied"
      action={
        <PageButton to="/login" next="/admin" variant="primary">
          Sign In
        </PageButton>
      }
    >
      Only the administrator can open this page. Sign in with that account.
    </AccessError>
  )
}

function AdminAccessRequired() {
  return (
    <AccessError
      title="Admin Access Required"
      action={
        <PageButton to="/" variant="primary">
          Go to Dashboard
        </PageButton>
      }
    >
      Your account is not the administrator's.
    </AccessError>
  )
}

interface AccessErrorProps {
  title: string
  children: ReactNode
  action: ReactNode
}

function AccessError({ title, children, action }: AccessErrorProps) {
  return (
    <Page title={title} centered>
      <div className="grid w-full max-w-[420px] justify-items-center text-center">
        <h1 className="text-2xl">{title}</h1>
        <p className="mt-3 mb-8 text-muted">{children}</p>
        {action}
      </div>
    </Page>
  )
}
