import { fileKind } from '../../shared/rules/file-kind.ts'
import { lifeline } from '../../shared/rules/lifeline.ts'
import { dayInMs, firstLifetime, hourInMs } from '../../shared/rules/lifetime.ts'
import { openLinkLabel } from '../../shared/rules/link-status.ts'
import { KindIcon } from '../files/kind-icon.tsx'
import { Lifeline } from '../files/lifeline.tsx'
import { Card } from '../ui/card.tsx'

const tones = { calm: 'text-ink', amber: 'text-amber', red: 'text-red', over: 'text-muted' }

/**
 * Makes an example file with a link of 3 days, as it looks `age` milliseconds after its upload. It
 * uses the product's own rules.
 */
function example(originalName: string, mimeType: string, age: number) {
  const createdAt = new Date(0)
  const now = new Date(age)
  const dates = {
    createdAt,
    ...firstLifetime(createdAt, { expirationDays: 3, maxLifetimeDays: 30 }),
  }
  return {
    originalName,
    kind: fileKind({ originalName, mimeType }),
    life: lifeline(dates, now, true),
    label: openLinkLabel(dates, now),
  }
}

/**
 * Three example links of different ages. Each shows its remaining time as a bar, drawn by the
 * product's own rules.
 */
export function ExampleLinks() {
  const files = [
    example('rough-cut.mov', 'video/quicktime', 20 * hourInMs),
    example('press-kit.zip', 'application/zip', 3 * dayInMs - 9.5 * hourInMs),
    example('floor-plan.pdf', 'application/pdf', 3 * dayInMs - 0.6 * hourInMs),
  ]
  return (
    <figure>
      <Card floating className="px-5 sm:px-7">
        <ul>
          {files.map(({ originalName, kind, life, label }) => (
            <li
              key={originalName}
              className="flex items-center gap-4 border-line border-t py-6 first:border-t-0"
            >
              <span className="grid size-11 shrink-0 place-items-center rounded-control bg-[color-mix(in_oklab,var(--surface),var(--ink)_5%)] text-muted">
                <KindIcon kind={kind} size={20} />
              </span>
              <div className="min-w-0 flex-1">
                <div className="flex flex-wrap items-baseline justify-between gap-x-3">
                  <span className="font-[540]">{originalName}</span>
                  <span className={`text-sm tabular-nums ${tones[life.tone]}`}>{label}</span>
                </div>
                <div className="mt-2.5">
                  <Lifeline life={life} size="wide" />
                </div>
              </div>
            </li>
          ))}
        </ul>
      </Card>
      <figcaption className="mt-4 text-center text-muted text-sm">
        An example. Every link shows how long it has left.
      </figcaption>
    </figure>
  )
}
