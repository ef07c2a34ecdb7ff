import { CircleCheck, RefreshCw } from 'lucide-react'
import { useId, useState } from 'react'
import type { CheckLine } from '../../shared/contract/checks.ts'
import { pastMomentText } from '../../shared/rules/format/moment-text.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { LoadFailed } from '../ui/load-failed.tsx'
import { CheckRow } from './check-row.tsx'
import { summarise } from './check-summary.ts'
import { faultText } from './fault-text.ts'
import { SectionFrame, type SectionProps } from './section.tsx'
import { RowsLoading } from './section-states.tsx'
import { useCheckAgain, useChecks } from './use-checks.ts'

/**
 * Shows whether the server has what it needs, and what the administrator should do if not. Problems
 * come first. The lines that are OK are folded away.
 */
export function ChecksSection({ id, title }: SectionProps) {
  const { data, dataUpdatedAt, error, isFetching } = useChecks()
  const runAgain = useCheckAgain()
  const checkAgain = () => void runAgain()
  const content = () => {
    if (data) return <Lines lines={data} />
    if (error === null || isFetching) return <RowsLoading label="Checking the server" rows={5} />
    return (
      <LoadFailed title="The checks could not be made" pending={isFetching} onRetry={checkAgain} />
    )
  }
  return (
    <SectionFrame
      id={id}
      title={title}
      note={data ? <Note lines={data} checkedAt={new Date(dataUpdatedAt)} /> : null}
      action={
        data ? (
          <Button
            size="small"
            icon={<RefreshCw />}
            pending={isFetching}
            pendingLabel="Checking…"
            onClick={checkAgain}
          >
            Check again
          </Button>
        ) : null
      }
    >
      {data && error && !isFetching ? (
        <p role="alert" className="mb-3 text-red">
          The checks could not be made again. {faultText(error)}
        </p>
      ) : null}
      {content()}
    </SectionFrame>
  )
}

/**
 * Screen readers read this note after each check. The time in it changes every time, so they read
 * it even if no result has changed.
 */
function Note({ lines, checkedAt }: { lines: CheckLine[]; checkedAt: Date }) {
  return (
    <span role="status">
      {summarise(lines).text} · {pastMomentText(checkedAt, checkedAt)}
    </span>
  )
}

function Lines({ lines }: { lines: CheckLine[] }) {
  const [showsFine, setShowsFine] = useState(false)
  const fineId = useId()
  const { urgent, fine } = summarise(lines)
  return (
    <Card>
      {urgent.length === 0 ? (
        <p className="flex items-center gap-4 px-4 py-4 sm:px-5">
          <CircleCheck aria-hidden="true" className="size-[18px] shrink-0 text-accent" />
          Everything is as it should be.
        </p>
      ) : (
        <ul>
          {urgent.map((line) => (
            <CheckRow key={line.name} line={line} />
          ))}
        </ul>
      )}
      {fine.length > 0 ? (
        <div className="border-line border-t px-4 py-2 sm:px-5">
          <Button
            variant="quiet"
            size="small"
            wide
            expands={{ id: fineId, isOpen: showsFine }}
            onClick={() => setShowsFine(!showsFine)}
          >
            {showsFine ? 'Hide' : 'Show'} what is OK ({fine.length})
          </Button>
        </div>
      ) : null}
      {showsFine ? (
        <ul id={fineId} className="border-line border-t">
          {fine.map((line) => (
            <CheckRow key={line.name} line={line} />
          ))}
        </ul>
      ) : null}
    </Card>
  )
}
