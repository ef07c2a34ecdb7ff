/** The name under which the browser saves the file, which ShareX opens. */
export const shareXFileName = 'sharex.sxcu'

/**
 * Returns the custom uploader for ShareX, a program for screenshots. It uploads with this API key.
 * @param origin this server's origin.
 */
export function shareXFile(origin: string, key: string): string {
  return JSON.stringify(
    {
      Version: '14.0.0',
      Name: `Mayfly (${new URL(origin).host})`,
      DestinationType: 'ImageUploader, TextUploader, FileUploader',
      RequestMethod: 'PUT',
      RequestURL: `${origin}/api/up/{filename}`,
      Headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' },
      Body: 'Binary',
      URL: `${origin}/s/{json:shortCode}`,
      ErrorMessage: '{json:message}',
    },
    null,
    2,
  )
}
