import { ArrowDown, Mail, Trash2 } from 'lucide-react'
import { memo, useId, useState } from 'react'
import type { File as StoredFile } from '../../shared/contract/files.ts'
import { fileKind, kindLabel } from '../../shared/rules/file-kind.ts'
import { formatSize } from '../../shared/rules/file-size.ts'
import { lifeline } from '../../shared/rules/lifeline.ts'
import { linkLabel, linkStatus } from '../../shared/rules/link-status.ts'
import type { Tier } from '../../shared/rules/tier.ts'
import { tierLimits } from '../../shared/rules/tier-limits.ts'
import { IconButton, IconLink } from '../ui/button.tsx'
import { FileName } from '../ui/file-name.tsx'
import { Checksum, ChecksumToggle } from './checksum.tsx'
import { CopyLinkButton } from './copy-link-button.tsx'
import { KindIcon } from './kind-icon.tsx'
import { Lifeline } from './lifeline.tsx'
import { linkFacts } from './link-facts.ts'
import { shareMailAddress } from './share-mail.ts'

export interface FileRowProps {
  file: StoredFile
  tier: Tier
  now: Date
  signature: string
  onDelete: (file: StoredFile) => void
}

const tones = { calm: '', amber: 'text-amber', red: 'text-red', over: 'text-muted' }

const numbers = new Intl.NumberFormat('en')
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

function Downloads({ count }: { count: number }) {
  return (
    <>
      <span aria-hidden="true" className="inline-flex items-center gap-1">
        {numbers.format(count)}
        <ArrowDown className="size-3.5" strokeWidth={1.6} />
      </span>
      <span className="sr-only">
        {numbers.format(count)} {count === 1 ? 'download' : 'downloads'}
      </span>
    </>
  )
}

function Row({ file, tier, now, signature, onDelete }: FileRowProps) {
  const [showsSum, setShowsSum] = useState(false)
  const sumId = useId()
  const facts = linkFacts(file)
  // Spec §4: private and deleted files cannot be copied or emailed.
  const isActive = linkStatus(facts, tier, now) === 'active'
  const life = lifeline(facts, now, tierLimits[tier].renewal && file.purgingAt === null)
  const kind = fileKind(file)
  const link = `${window.location.origin}/s/${file.shortCode}`
  const size = formatSize(file.size)
  const exactEnd = `${isActive ? 'Until' : 'Ended'} ${moments.format(facts.expiresAt)}`

  return (
    <div className="grid grid-cols-[36px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-3 px-4 py-3.5 sm:grid-cols-[36px_minmax(0,1fr)_172px_auto] sm:gap-x-4 sm:px-5 lg:grid-cols-[36px_minmax(0,1fr)_84px_190px_64px_auto]">
      <span className="grid size-9 place-items-center rounded-[9px] bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] text-muted">
        <KindIcon kind={kind} size={18} />
        <span className="sr-only">{kindLabel(kind)}</span>
      </span>
      <div className={`min-w-0 ${isActive ? 'max-sm:col-span-2' : ''}`}>
        <div className={`font-[540] ${isActive ? '' : 'text-muted'}`}>
          <FileName name={file.originalName} />
        </div>
        <p className="flex flex-wrap gap-x-1 text-muted text-sm tabular-nums">
          {isActive ? (
            <a href={link} className="no-underline hover:text-ink hover:underline">
              /s/{file.shortCode}
            </a>
          ) : (
            <span>Link closed</span>
          )}
          <span className="lg:hidden">· {size}</span>
          <span className="whitespace-nowrap lg:hidden">
            <span aria-hidden="true">· </span>
            <Downloads count={file.downloadCount} />
          </span>
          {file.sha256 === null ? null : (
            <span className="whitespace-nowrap">
              <span aria-hidden="true">· </span>
              <ChecksumToggle
                fileName={file.originalName}
                open={showsSum}
                onToggle={() => setShowsSum(!showsSum)}
                controls={sumId}
              />
            </span>
          )}
        </p>
        {file.sha256 !== null && showsSum ? <Checksum id={sumId} sha256={file.sha256} /> : null}
      </div>
      <span className="hidden text-right text-muted tabular-nums lg:block">{size}</span>
      <div className="col-span-full grid gap-1.5 sm:col-span-1">
        <Lifeline life={life} size="small" />
        <time
          dateTime={file.expiresAt}
          title={exactEnd}
          className={`w-fit text-sm tabular-nums ${isActive ? tones[life.tone] : tones.over}`}
        >
          {linkLabel(facts, tier, now)}
        </time>
        <span className="sr-only">{exactEnd}</span>
      </div>
      <span className="hidden text-right text-muted text-sm tabular-nums lg:block">
        <Downloads count={file.downloadCount} />
      </span>
      <div
        className={`flex items-center justify-end gap-1 sm:w-[172px] max-sm:[&_:is(a,button)]:min-h-11 max-sm:[&_:is(a,button)]:min-w-11 ${isActive ? 'max-sm:col-span-full max-sm:-mt-1' : 'max-sm:col-start-3 max-sm:row-start-1 max-sm:-mr-2'}`}
      >
        {isActive ? (
          <>
            <div className="mr-1 flex-1">
              <CopyLinkButton link={link} fileName={file.originalName} />
            </div>
            <IconLink
              label={`Email link of ${file.originalName}`}
              icon={<Mail />}
              href={shareMailAddress({
                fileName: file.originalName,
                fileSize: file.size,
                link,
                expiresAt: facts.expiresAt,
                signature,
              })}
            />
          </>
        ) : null}
        <IconButton
          label={`Delete ${file.originalName}`}
          icon={<Trash2 />}
          onClick={() => onDelete(file)}
        />
      </div>
    </div>
  )
}

/** One file: a row of columns on a wide screen, a card with the same actions on a narrow one. */
export const FileRow = memo(Row)
