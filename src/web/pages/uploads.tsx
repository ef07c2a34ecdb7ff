import { lazy, Suspense } from 'react'
import { useCurrentUser } from '../api/use-current-user.ts'
import { pageImports } from './page-imports.ts'

const UploadsDock = lazy(pageImports.uploads)

/** Shows the uploads of the signed-in user on every page of the application (spec §2). */
export function Uploads() {
  const { data: user } = useCurrentUser()
  return user ? (
    <Suspense fallback={null}>
      <UploadsDock />
    </Suspense>
  ) : null
}
