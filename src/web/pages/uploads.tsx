import { lazy, Suspense } from 'react'
import { useCurrentUser } from '../api/use-current-user.ts'
import { pageImports } from './page-imports.ts'

const UploadsDock = lazy(pageImports.uploads)

/** The uploads of the signed-in user, on every screen (spec §2). */
export function Uploads() {
  const { data: user } = useCurrentUser()
  return user ? (
    <Suspense fallback={null}>
      <UploadsDock />
    </Suspense>
  ) : null
}
