export * from '@neynar/ui/alert';
