import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { User } from '../../shared/contract/account.ts'
import { welcomeName } from '../../shared/rules/accounts/names.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import { selectedDays } from '../../shared/rules/tiers/tier-limits.ts'
import { useFeatures, useLimits } from '../api/public-values.ts'
import { useCurrentUser } from '../api/use-current-user.ts'
import { RemainingFiles } from '../files/files-heading.tsx'
import { usePreferences } from '../files/manager/use-preferences.ts'
import { RecentFiles } from '../files/recent-files.tsx'
import { resetLinkLists } from '../files/use-links.ts'
import { TierSwitch } from '../tiers/tier-switch.tsx'
import { TrialBanner } from '../tiers/trial-banner.tsx'
import { useRequestedTrial } from '../tiers/use-trial-notice.ts'
import { Button } from '../ui/button.tsx'
import { RowsLoading } from '../ui/skeleton.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { toast } from '../ui/toast.tsx'
import { KeptFilesCard, useKeptFiles } from '../uploads/kept/kept-files-card.tsx'
import { DropOverlay, DropZone, dropZoneTitleId } from '../uploads/picking/drop-zone.tsx'
import { type Drop, dropError } from '../uploads/picking/dropped-files.ts'
import { useLinkForm } from '../uploads/picking/link-form.tsx'
import type { PickedFile } from '../uploads/picking/picked-file.ts'
import { usePageFiles } from '../uploads/picking/use-page-files.ts'
import { useUploadFiles } from '../uploads/use-upload-files.ts'
import { useHasOpenUploads, useHasUploads, useUploadsStore } from '../uploads/use-uploads.ts'
import { Page } from './page.tsx'
import { Wrap } from './wrap.tsx'

// The first view needs none of these.
const AnalyticsTab = lazy(async () => ({
  default: (await import('./analytics-tab.tsx')).AnalyticsTab,
}))
const ManagerTab = lazy(async () => ({ default: (await import('./manager-tab.tsx')).ManagerTab }))
const RejectedFilesCard = lazy(async () => ({
  default: (await import('../uploads/cards/rejected-files-card.tsx')).RejectedFilesCard,
}))
const UploadProblems = lazy(async () => ({
  default: (await import('../uploads/cards/upload-problems.tsx')).UploadProblems,
}))
const UploadProgress = lazy(async () => ({
  default: (await import('../uploads/cards/upload-progress.tsx')).UploadProgress,
}))
const MyFiles = lazy(async () => ({ default: (await import('../files/my-files.tsx')).MyFiles }))
const RequestsTab = lazy(async () => ({
  default: (await import('./requests-tab.tsx')).RequestsTab,
}))

/** How many recent files the Upload tab shows. */
const maxRecentFiles = 5

const tabs = ['upload', 'files', 'requests', 'manager', 'analytics'] as const
type DashboardTab = (typeof tabs)[number]

/** The path to the File Manager, filtered to links that expire soon. */
const expiringPath = '/?tab=manager&show=expiring-soon'

/**
 * Returns the selected tab and its setter. The tab is stored in the URL so that it survives reloads
 * and can be shared.
 */
function useTab(): [DashboardTab, (tab: DashboardTab) => void] {
  const [params, setParams] = useSearchParams()
  const tab = tabs.find((tab) => tab === params.get('tab')) ?? 'upload'
  const selectTab = (newTab: DashboardTab) =>
    setParams(
      (previous) => {
        const otherParams = [...previous].filter(([name]) => name !== 'show' && name !== 'tab')
        return newTab === 'upload' ? otherParams : [...otherParams, ['tab', newTab]]
      },
      { replace: true },
    )
  return [tab, selectTab]
}

function DashboardContent({ user }: { user: User }) {
  const [urlTab, selectTab] = useTab()
  const hasRequests = useFeatures().requests !== 'off'
  const tab = urlTab === 'requests' && !hasRequests ? 'upload' : urlTab
  const [params] = useSearchParams()
  const queryClient = useQueryClient()
  const showTab = (newTab: DashboardTab) => {
    selectTab(newTab)
    // File lists never become stale by themselves (spec §9), so they would miss recent downloads.
    // Opening any tab except Upload reloads them.
    if (newTab !== 'upload') resetLinkLists(queryClient)
  }
  const { fileManager } = tierTraits[user.tier]
  const limits = useLimits()
  const { data: preferences } = usePreferences(fileManager)
  const [chosenDays, setDays] = useState<number | null>(null)
  // The tier or its limits can change while the page is open, so the expiry that the user chose may
  // no longer be available.
  const preferredDays = chosenDays ?? preferences?.defaultExpirationDays
  const { maxFiles } = limits[user.tier]
  const days = selectedDays(limits[user.tier], preferredDays)
  const store = useUploadsStore()
  const hasOpenUploads = useHasOpenUploads(store)
  const hasUploads = useHasUploads(store)
  const fileInputRef = useRef<HTMLInputElement>(null)
  const [hasNewFiles, setHasNewFiles] = useState(false)
  const keptFiles = useKeptFiles()
  const [wantsTrial, forgetTrial] = useRequestedTrial(user)
  const mainAction = selectMainAction({
    hasNewFiles,
    wantsTrial,
    hasKeptFiles: keptFiles.files.length > 0,
  })
  const { start, skippedFiles, dismissSkippedFiles } = useUploadFiles(store, user.tier, limits)
  const linkForm = useLinkForm()
  const upload = async (pickedFiles: readonly PickedFile[]) => {
    selectTab('upload')
    const newLinks = await linkForm.read()
    if (newLinks && start(pickedFiles, days, newLinks)) linkForm.reset()
  }
  const handleDrop = (drop: Drop) => {
    const error = dropError(drop)
    if (error) toast({ ...error, tone: 'destructive' })
    if (drop.files.length > 0) void upload(drop.files)
  }
  const dismissCards = () => {
    dismissSkippedFiles()
    store.getState().dismissInlineError()
    // The pressed button is removed with its card, so focus moves to the drop zone's heading.
    document.getElementById(dropZoneTitleId)?.focus()
  }
  const headingRef = useRef<HTMLHeadingElement>(null)
  const isDragging = usePageFiles(handleDrop)
  const uploadProgress = hasUploads ? (
    <Suspense fallback={null}>
      <UploadProgress store={store} />
    </Suspense>
  ) : null

  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <h1 ref={headingRef} tabIndex={-1} className="text-2xl wrap-anywhere">
          Welcome back, {welcomeName(user)}
        </h1>
        <div className="flex flex-wrap items-center gap-3 max-sm:w-full">
          {user.isAdmin ? <TierSwitch user={user} /> : null}
          <TrialBanner
            user={user}
            isPrimary={tab === 'upload' && mainAction === 'trial'}
            onDone={() => {
              forgetTrial()
              headingRef.current?.focus()
            }}
          />
        </div>
      </div>
      <div className="mt-5">
        <Tabs
          label="Dashboard"
          value={tab}
          onValueChange={showTab}
          tabs={[
            {
              value: 'upload',
              label: 'Upload',
              content: (
                <>
                  <KeptFilesCard
                    keptFiles={keptFiles}
                    isPrimary={mainAction === 'upload'}
                    onUpload={(files) => void upload(files)}
                    onDone={() => document.getElementById(dropZoneTitleId)?.focus()}
                  />
                  <div className="mb-4">
                    <DropZone
                      limits={limits[user.tier]}
                      remainingFilesLine={
                        maxFiles === null ? null : (
                          <RemainingFiles
                            tier={user.tier}
                            maxFiles={maxFiles}
                            isChanging={hasOpenUploads}
                          />
                        )
                      }
                      days={days}
                      onDaysChange={setDays}
                      linkForm={linkForm}
                      onFiles={handleDrop}
                      isPrimary={mainAction === 'choose'}
                      inputRef={fileInputRef}
                    />
                  </div>
                  <Suspense fallback={null}>
                    {hasUploads ? <UploadProblems store={store} /> : null}
                    {hasUploads || skippedFiles.length > 0 ? (
                      <RejectedFilesCard
                        store={store}
                        user={user}
                        skippedFiles={skippedFiles}
                        onDismiss={dismissCards}
                        onTierChange={() => document.getElementById(dropZoneTitleId)?.focus()}
                        onTryAnother={() => {
                          dismissCards()
                          fileInputRef.current?.click()
                        }}
                      />
                    ) : null}
                  </Suspense>
                  {uploadProgress}
                  <div className="mt-9">
                    <RecentFiles
                      tier={user.tier}
                      limit={maxRecentFiles}
                      onNewFiles={setHasNewFiles}
                    />
                  </div>
                </>
              ),
            },
            {
              value: 'files',
              label: 'My Files',
              content: (
                <>
                  {uploadProgress}
                  <Suspense fallback={<RowsLoading label="Loading your files" rows={5} />}>
                    <MyFiles
                      tier={user.tier}
                      emptyAction={
                        <Button variant="primary" onClick={() => selectTab('upload')}>
                          Upload a file
                        </Button>
                      }
                    />
                  </Suspense>
                </>
              ),
            },
            ...(hasRequests
              ? [
                  {
                    value: 'requests' as const,
                    label: 'Requests',
                    content: (
                      <>
                        {uploadProgress}
                        <Suspense fallback={<RowsLoading label="Loading your requests" rows={3} />}>
                          <RequestsTab tier={user.tier} />
                        </Suspense>
                      </>
                    ),
                  },
                ]
              : []),
            {
              value: 'manager',
              label: 'File Manager',
              content: (
                <>
                  {uploadProgress}
                  <ManagerTab
                    user={user}
                    isExpiring={params.get('show') === 'expiring-soon'}
                    onShowAll={() => selectTab('manager')}
                    onUpload={() => selectTab('upload')}
                    onTierChange={() => headingRef.current?.focus()}
                  />
                </>
              ),
            },
            {
              value: 'analytics',
              label: 'Analytics',
              content: (
                <AnalyticsTab
                  user={user}
                  expiringPath={expiringPath}
                  onUpload={() => selectTab('upload')}
                  onTierChange={() => headingRef.current?.focus()}
                />
              ),
            },
          ]}
        />
      </div>
      {isDragging ? <DropOverlay days={days} /> : null}
    </>
  )
}

/** A signed-in user's start page (spec §2), with uploads and the user's files. */
export function Dashboard() {
  const { data: user } = useCurrentUser()
  if (!user) return null
  return (
    <Page title="Dashboard">
      <Wrap className="pt-7 pb-16">
        <DashboardContent user={user} />
      </Wrap>
    </Page>
  )
}

/** The state that determines the Upload tab's main action. */
export interface UploadTabState {
  /** True while Recent Files marks files as new. */
  hasNewFiles: boolean
  /** True if the user got here by following a trial offer. */
  wantsTrial: boolean
  /** True if this browser stores files that are waiting to be uploaded. */
  hasKeptFiles: boolean
}

/**
 * Returns the Upload tab's one main action. In order of precedence: copying a new link, starting
 * the trial that the user chose, uploading the files that wait in this browser, and choosing files.
 */
export function selectMainAction({ hasNewFiles, wantsTrial, hasKeptFiles }: UploadTabState) {
  if (hasNewFiles) return 'copy'
  if (wantsTrial) return 'trial'
  return hasKeptFiles ? 'upload' : 'choose'
}
