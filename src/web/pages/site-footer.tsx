import { useVersion } from '../api/use-version.ts'
import { Wrap } from './wrap.tsx'

/** The footer of the public screens, with the version text. */
export function SiteFooter() {
  const version = useVersion()
  return (
    <footer className="border-line border-t text-muted text-sm">
      <Wrap className="flex min-h-[72px] items-center justify-between gap-4">
        <span>Mayfly, a preview version</span>
        <span className="tabular-nums">{version}</span>
      </Wrap>
    </footer>
  )
}
