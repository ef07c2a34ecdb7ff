import { AuditSection } from './audit-section.tsx'
import { ChecksSection } from './checks-section.tsx'
import { FeedbackSection } from './feedback-section.tsx'
import { LimitsSection } from './limits-section.tsx'
import { MaintenanceSection } from './maintenance-section.tsx'
import { ReportsSection } from './reports-section.tsx'
import { RequestsSection } from './requests-section.tsx'
import { SectionLinks } from './section-links.tsx'
import { SettingsSection } from './settings-section.tsx'
import { StatisticsSection } from './statistics-section.tsx'
import { UsersSection } from './users-section.tsx'

/** The administrator's page at /admin (spec §2). */
export function AdminCenter() {
  return (
    <>
      <SectionLinks />
      <StatisticsSection />
      <ChecksSection />
      <UsersSection />
      <MaintenanceSection />
      <ReportsSection />
      <RequestsSection />
      <SettingsSection />
      <LimitsSection />
      <FeedbackSection />
      <AuditSection />
    </>
  )
}
