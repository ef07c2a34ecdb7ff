import { useQuery } from '@tanstack/react-query'
import { groupDigits } from '../../shared/rules/format/numbers.ts'
import { Card } from '../ui/card.tsx'
import { InlineLoadError, QueryFigure } from '../ui/load-error.tsx'
import { statsQuery } from './admin-queries.ts'
import { sectionTitles } from './section.tsx'

const statLabels = {
  totalUsers: 'Users',
  premiumUsers: 'Premium users',
  totalFiles: 'Files',
  totalDownloads: 'Downloads',
} as const

const statEntries = Object.entries(statLabels) as [keyof typeof statLabels, string][]

/** Shows how many users, files and downloads there are (spec §7, admin stats). */
export function StatisticsSection() {
  const query = useQuery(statsQuery)
  const { data, isError } = query
  return (
    <section aria-labelledby="numbers" className="mt-6">
      <h2 id="numbers" tabIndex={-1} className="sr-only">
        {sectionTitles.numbers}
      </h2>
      <Card className="overflow-clip">
        <dl className="grid grid-cols-2 gap-px bg-line lg:grid-cols-4">
          {statEntries.map(([key, name]) => (
            <div key={key} className="min-w-0 bg-surface px-4 pt-3.5 pb-4 sm:px-5 lg:pt-4 lg:pb-5">
              <dt className="text-muted text-sm">{name}</dt>
              <dd className="mt-0.5 font-[620] text-xl tabular-nums leading-tight tracking-[-0.02em] wrap-anywhere sm:text-2xl">
                <QueryFigure query={query}>{data && groupDigits(data[key])}</QueryFigure>
              </dd>
            </div>
          ))}
        </dl>
        <p className="border-line border-t px-4 py-2.5 text-muted text-sm sm:px-5">
          Expired and taken-down files count until their owner deletes them.
        </p>
        {isError ? (
          <InlineLoadError
            query={query}
            text="The statistics could not be loaded."
            className="border-line border-t px-4 py-3.5 sm:px-5"
          />
        ) : null}
      </Card>
    </section>
  )
}
