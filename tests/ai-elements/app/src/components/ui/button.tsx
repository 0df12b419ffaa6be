export * from '@neynar/ui/button';
