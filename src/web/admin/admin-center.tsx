import type { ComponentType } from 'react'
import { AuditSection } from './audit-section.tsx'
import { ChecksSection } from './checks-section.tsx'
import { FeedbackSection } from './feedback-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { MaintenanceSection } from './maintenance-section.tsx'
import { ReportsSection } from './reports-section.tsx'
import { type SectionId, type SectionProps, sectionIds, sectionTitles } from './section.tsx'
import { SectionLinks } from './section-links.tsx'
import { SettingsSection } from './settings-section.tsx'
import { StatisticsSection } from './statistics-section.tsx'
import { UsersSection } from './users-section.tsx'

/** The content of the administrator's page at /admin (spec §2). */
export function AdminCenter() {
  return (
    <>
      <SectionLinks sections={sections} />
      {sections.map(({ id, title, Section }) => (
        <Section key={id} id={id} title={title} />
      ))}
    </>
  )
}

export interface AdminSection extends SectionProps {
  Section: ComponentType<SectionProps>
}

const components: Record<SectionId, ComponentType<SectionProps>> = {
  numbers: StatisticsSection,
  checks: ChecksSection,
  users: UsersSection,
  maintenance: MaintenanceSection,
  reports: ReportsSection,
  settings: SettingsSection,
  limits: LimitsSection,
  feedback: FeedbackSection,
  audit: AuditSection,
}

/** The sections of the Admin Center, in the order in which the page shows them. */
export const sections: readonly AdminSection[] = sectionIds.map((id) => ({
  id,
  title: sectionTitles[id],
  Section: components[id],
}))
